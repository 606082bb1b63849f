import { discover, type SignInPlace } from './discover.ts'
import type { Finding } from './finding.ts'
import { type CheckName, createProgress, type Progress } from './progress.ts'
import { revoke } from './revoke.ts'
import { signIn } from './sign-in.ts'
import { type Spoken, speak } from './speak.ts'
import { createVisit } from './visit.ts'

export interface ConnectorSettings {
  /** The address that assistants are given, such as `https://sms.example.com/mcp`. */
  url: string
  /** A token from elsewhere, with which no sign-in is needed. */
  token?: string | undefined
  /** Shows a person the address at which to sign in. */
  invite(url: string): void
  /** How long the person may take; 5 minutes unless given. */
  timeoutMs?: number
  fetch?: typeof fetch
  /** Called with each finding as soon as it is made. */
  onFinding?(finding: Finding): void
  stopped?: AbortSignal
}

type Check = Required<ConnectorSettings>

const SIGN_IN_MS = 300_000

export interface Checked extends Spoken {
  url: string
  ok: boolean
  findings: readonly Finding[]
}

const NO_TOKEN =
  'no token was given, so nothing can be ended; if the person allowed it, the server still lists the connection'
const SIGN_IN: readonly CheckName[] = ['registration', 'sign-in', 'token']

/** Uses a connector as an assistant would, and reports each step. Ends the connection that it makes. */
export async function checkConnector(settings: ConnectorSettings): Promise<Checked> {
  const check: Check = {
    token: undefined,
    timeoutMs: SIGN_IN_MS,
    fetch: globalThis.fetch,
    onFinding: () => {},
    stopped: new AbortController().signal,
    ...settings,
  }
  const { url } = check
  const progress = createProgress(check.onFinding, check.stopped)
  const spoken = await use(check, progress)
  progress.finish()
  return { url, ok: !progress.hasFailed(), findings: progress.findings, ...spoken }
}

async function use(check: Check, progress: Progress): Promise<Spoken> {
  const { url, token, fetch, stopped } = check
  const visit = createVisit(fetch, stopped)
  const place = await discover(url, { visit, progress })
  if (place === undefined) return { revisions: [] }
  if (place !== 'no sign-in' && token === undefined) return signInAndUse(place, check, progress)
  const isOpen = place === 'no sign-in'
  if (isOpen) progress.skip(['resource', 'server'], 'not needed without sign-in')
  progress.skip(SIGN_IN, isOpen ? 'not needed without sign-in' : 'not tried: WIGWAG_CONNECTOR_TOKEN is set')
  const spoken = await speak({ url, token: isOpen ? undefined : token, scope: undefined, visit, progress })
  progress.skip(['revocation'], isOpen ? 'not needed without sign-in' : 'the token is not from this check')
  return spoken
}

async function signInAndUse(
  place: SignInPlace,
  { url, fetch, invite, timeoutMs, stopped }: Check,
  progress: Progress,
): Promise<Spoken> {
  const visit = createVisit(fetch, stopped)
  // A token that was asked for must be known to be ended, and ended it must be.
  const visitToTheEnd = createVisit(fetch)
  const connection = await signIn(place, { visit, visitToTheEnd, progress, invite, timeoutMs, stopped })
  if (!connection) {
    if (progress.findings.some(({ check, state }) => check === 'sign-in' && state !== 'skip'))
      progress.skip(['revocation'], NO_TOKEN)
    return { revisions: [] }
  }
  try {
    return await speak({
      url,
      token: connection.tokens.access_token,
      scope: connection.tokens.scope,
      visit,
      progress,
    })
  } finally {
    progress.report('revocation', await revoke(place, connection, visitToTheEnd))
  }
}
