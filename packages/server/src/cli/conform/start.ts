import { randomBytes, randomUUID } from 'node:crypto'
import { isLoopback } from '../../domain/loopback.ts'
import type { Clock } from '../../platform/clock.ts'
import { createVisit } from '../connector-check/visit.ts'
import { listenFailure } from '../serve/serve.ts'
import { type Credentials, createCaller } from './caller.ts'
import type { Outcome } from './check.ts'
import { conform } from './conform.ts'
import { createDocuments } from './documents.ts'
import { createMcpUnderTest } from './mcp-under-test.ts'
import { type Part, plan as wholePlan } from './plan.ts'
import { reach } from './reach.ts'
import { openReceiver, type ReceiverOptions } from './receiver.ts'
import { hiding, secretsIn } from './secrets.ts'
import { createSession } from './session.ts'

export interface ConformSettings {
  url: string
  credentials: Credentials
  callbackSecret: string | undefined
  from: string
  to: readonly string[]
  spend: number
  timeoutMs: number
  waitMs: number
  /** Where callbacks arrive. Without it they do on loopback, if the server is on this machine. */
  callback: Omit<ReceiverOptions, 'run'>
  mcp: string | undefined
  mcpToken: string | undefined
  /** Shows a person where to sign in. Undefined when no person is there. */
  invite: ((url: string) => void) | undefined
  openapi: string | undefined
  postman: string | undefined
  fetch: typeof fetch
  clock: Clock
  stopped: AbortSignal
  plan?: readonly Part[]
  onPart(heading: string): void
  onOutcome(outcome: Outcome): void
}

const SIGN_IN_MS = 300_000

/** Tries a server from the first request to the last, and ends what was made for it. */
export async function startConform(
  settings: ConformSettings,
): Promise<{ outcomes: Outcome[]; messages: number }> {
  const { url, credentials, timeoutMs, fetch, stopped, invite, plan = wholePlan } = settings
  const run = `wc${randomBytes(6).toString('hex')}`
  const secrets = secretsIn(credentials, [settings.callbackSecret, settings.mcpToken])
  const visit = hiding(createVisit(fetch, stopped, timeoutMs), secrets)
  const caller = createCaller(url, credentials, visit)
  const isReachable = settings.callback.publicUrl !== undefined || isLoopback(new URL(url))
  const base = url.replace(/\/+$/, '')
  const mcp = createMcpUnderTest({
    address: settings.mcp ?? `${base}/mcp`,
    isGiven: settings.mcp !== undefined,
    token: settings.mcpToken,
    person: invite && { invite, timeoutMs: SIGN_IN_MS },
    ...{ visit, visitToTheEnd: createVisit(fetch, undefined, timeoutMs), stopped },
  })
  const { callback } = settings
  const receiver = isReachable
    ? await openReceiver({ ...callback, run }).catch((error: unknown) => {
        throw listenFailure(error, callback, '--callback-port')
      })
    : undefined
  try {
    const session = createSession({
      ...settings,
      ...{ caller, receiver, mcp, run },
      documents: createDocuments({ ...settings, usualOpenapi: `${base}/openapi.json` }, visit),
      unknownTicket: randomUUID(),
    })
    await reach(session.balance, secrets)
    const outcomes = await conform({ ...settings, session, plan, secrets })
    return { outcomes, messages: session.taken() }
  } finally {
    receiver?.close()
    await mcp.close()
  }
}
