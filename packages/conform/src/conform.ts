import { randomBytes, randomUUID } from 'node:crypto'
import { type Clock, isLoopback, systemClock } from '@wigwag/contract'
import { type Credentials, createCaller } from './caller.ts'
import type { Outcome } from './check.ts'
import { createVisit } from './connector-check/visit.ts'
import { createDocuments } from './documents.ts'
import { makeChecks } from './make-checks.ts'
import { createMcpUnderTest } from './mcp-under-test.ts'
import { type Part, plan as wholePlan } from './plan.ts'
import { reach } from './reach.ts'
import { openReceiver, type ReceiverOptions } from './receiver.ts'
import { failedMusts } from './report.ts'
import { hiding, secretsIn } from './secrets.ts'
import { createSession } from './session.ts'

export interface ConformSettings {
  /** The address of the server's API. */
  url: string
  credentials: Credentials
  /** A sender name of the account. */
  from: string
  /** Numbers that messages may go to. Up to eight messages are sent. */
  to: readonly string[]
  /** The most that the messages may cost, in the currency of the wallet. */
  spend: number
  /** The secret that callbacks are signed with. Signatures are checked only if it is given. */
  callbackSecret?: string | undefined
  /** How long one answer may take; 30 seconds unless given. */
  timeoutMs?: number
  /** How long a final status, and then a callback, may take; 60 seconds unless given. */
  waitMs?: number
  /** Where callbacks arrive. Without it they do on loopback, if the server is on this machine. */
  callback?: CallbackPlace
  /** The address that assistants are given; `/mcp` below `url` unless given. */
  mcp?: string | undefined
  /** An access token for it. */
  mcpToken?: string | undefined
  /** Shows a person where to sign in. Undefined when no person is there. */
  invite?: ((url: string) => void) | undefined
  /** A URL or a file of the OpenAPI description, as JSON; `/openapi.json` below `url` unless given. */
  openapi?: string | undefined
  /** A URL or a file of the Postman collection. */
  postman?: string | undefined
  fetch?: typeof fetch
  clock?: Clock
  stopped?: AbortSignal
  /** The checks to try; all unless given. */
  plan?: readonly Part[]
  /** Called before the checks of a part. */
  onPart?(heading: string): void
  /** Called after each check. */
  onOutcome?(outcome: Outcome): void
}

/** Where callbacks are taken, and the address by which the server reaches that place, if it is another one. */
export type CallbackPlace = Omit<ReceiverOptions, 'run'>

export interface Report {
  /** Whether no `must` failed. */
  ok: boolean
  outcomes: Outcome[]
  /** How many messages the server took. */
  messages: number
}

const SIGN_IN_MS = 300_000
const HERE: CallbackPlace = { host: '127.0.0.1', port: 0, publicUrl: undefined }

/**
 * Tries a server from the first request to the last, and ends what was made for it. Throws a `CannotTry` when no such
 * server answers.
 */
export async function conform(settings: ConformSettings): Promise<Report> {
  const { url, credentials, invite, callback = HERE, timeoutMs = 30_000, plan = wholePlan } = settings
  const { fetch = globalThis.fetch, stopped = new AbortController().signal } = settings
  const run = `wc${randomBytes(6).toString('hex')}`
  const secrets = secretsIn(credentials, [settings.callbackSecret, settings.mcpToken])
  const visit = hiding(createVisit(fetch, stopped, timeoutMs), secrets)
  const caller = createCaller(url, credentials, visit)
  const isReachable = callback.publicUrl !== undefined || isLoopback(new URL(url))
  const base = url.replace(/\/+$/, '')
  const mcp = createMcpUnderTest({
    address: settings.mcp ?? `${base}/mcp`,
    isGiven: settings.mcp !== undefined,
    token: settings.mcpToken,
    person: invite && { invite, timeoutMs: SIGN_IN_MS },
    visit,
    visitToTheEnd: createVisit(fetch, undefined, timeoutMs),
    stopped,
  })
  const receiver = isReachable ? await openReceiver({ ...callback, run }) : undefined
  try {
    const session = createSession({
      caller,
      receiver,
      callbackSecret: settings.callbackSecret,
      mcp,
      documents: createDocuments(
        { openapi: settings.openapi, postman: settings.postman, usualOpenapi: `${base}/openapi.json` },
        visit,
      ),
      from: settings.from,
      to: settings.to,
      run,
      unknownTicket: randomUUID(),
      spend: settings.spend,
      waitMs: settings.waitMs ?? 60_000,
      clock: settings.clock ?? systemClock,
      stopped,
    })
    await reach(session.balance, secrets)
    const { onPart = () => {}, onOutcome = () => {} } = settings
    const outcomes = await makeChecks({ session, plan, secrets, stopped, onPart, onOutcome })
    return { ok: failedMusts(outcomes) === 0, outcomes, messages: session.taken() }
  } finally {
    receiver?.close()
    await mcp.close()
  }
}
