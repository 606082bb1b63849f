import { parseAmount } from '@wigwag/contract'
import { type Client, createClient } from '@wigwag/sdk'
import { type MessageCursor, openInbox, type ReceivedMessage, type WaitForMessage } from '@wigwag/sdk/testing'
import { pino } from 'pino'
import { loadConfig } from '../config/config.ts'
import { compose } from '../gateway/compose.ts'
import { epochMs, isTicket } from '../kernel/ids.ts'
import { nearestOf } from '../kernel/text/nearest.ts'
import { DAY_MS, readSpan } from '../kernel/time/spans.ts'
import type { Outbound, OutboundRequest } from '../net/outbound/port.ts'
import { DEMO_SENDER, NO_FAULTS, readFaults, type WrittenFaults } from '../sandbox/index.ts'
import { schemaImage } from '../store/schema/migrate.ts'
import { createMovedClock, TimeLapse } from './clock.ts'

export type { WrittenFaults } from '../sandbox/index.ts'

export interface SandboxOptions {
  /** The initial balance of the demo account, in its currency; 100 when left out. */
  balance?: number
  /** The time at which the sandbox's clock starts. */
  startAt?: Date
  /** The receiver's answer to a callback; 200 when left out. */
  onCallback?(callback: CapturedCallback): Response | Promise<Response>
}

/** A callback as it was posted. Pass it to `verifyCallback` like a request. */
export interface CapturedCallback {
  url: string
  headers: Record<string, string>
  body: string
}

/**
 * A whole gateway in this process and in memory, with its own clock and no network. Its types name none of the gateway's:
 * those would bring along declarations of packages that a user does not have.
 */
export interface Sandbox extends Closing {
  /**
   * The SDK's client for the demo account. Its messages are from `WIGWAG` where they name no sender. Its pauses go by
   * the sandbox's clock, which moves on meanwhile: neither `waitForFinal` nor a repeated request takes real time.
   */
  client: Client
  /** Sends a request to the gateway, as `fetch` would to a remote one. */
  fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>
  /** The demo account's, and the secret that its callbacks are signed with. */
  credentials: {
    accountId: string
    clientId: string
    clientSecret: string
    walletToken: string
    callbackSecret: string
  }
  clock: {
    now(): Date
    /**
     * Advances the clock by milliseconds, or by a time such as `90s`, `30m`, `2h` or `3d`. Resolves when everything that
     * was due by then is done.
     */
    advance(by: number | string): Promise<void>
  }
  /** Faults on purpose, as in the console's controls. */
  faults: {
    /** Switches these on, and all others off. */
    set(faults: WrittenFaults): void
    off(): void
  }
  /** All callbacks posted so far, in order. */
  callbacks: CapturedCallback[]
  /** Gives a message whose recipient ends in 00005 its final status. */
  tell(ticket: string, verdict: 'success' | 'undelivered' | 'expired' | 'rejected' | 'failed'): Promise<void>
  /** Where the messages end at this moment: `after` of `waitForMessage`. */
  now(): Promise<MessageCursor>
  /**
   * Waits in real time for a message to a number, and reads the code in it. Each message is given once, those to one
   * number in the order in which they were accepted. Rejects when none comes in time, and says what came instead.
   */
  waitForMessage(wanted: WaitForMessage): Promise<ReceivedMessage>
  /** Ends the sandbox. `await using sandbox = await createSandbox()` does so at the end of its block. */
  close(): Promise<void>
}

/** The symbol of `await using`, where the compiler's libraries have it: those of some users don't. */
type DisposeSymbol = SymbolConstructor extends { readonly asyncDispose: infer Dispose extends symbol }
  ? Dispose
  : never
type Closing = { [Name in DisposeSymbol]: () => Promise<void> }

const BASE_URL = 'http://sandbox.invalid'
/** A sandbox begins without messages. */
const BEFORE_ALL: MessageCursor = '00000000-0000-0000-0000-000000000000'

const OPTIONS = ['balance', 'startAt', 'onCallback'] as const satisfies (keyof SandboxOptions)[]
const FAULTS = ['slow', 'lost', 'receivers', 'gateway'] as const satisfies (keyof WrittenFaults)[]

export async function openSandbox(options: SandboxOptions): Promise<Sandbox> {
  refuseUnknown('createSandbox', options, OPTIONS)
  checkBalance(options.balance)
  const clock = createMovedClock(epochMs((options.startAt ?? new Date('2026-01-05T09:00:00Z')).getTime()))
  const callbacks: CapturedCallback[] = []
  const { onCallback = () => new Response() } = options
  let answering = 0
  const flags = { database: ':memory:', demoBalance: String(options.balance ?? 100) }
  const gateway = await compose(
    { ...loadConfig(flags, {}), pollMs: DAY_MS, lowWalletCheckMs: DAY_MS, alertCheckMs: DAY_MS, gatherMs: 0 },
    {
      clock,
      log: pino({ level: 'silent' }),
      image: await schemaImage(),
      outbound: capture(callbacks, async (callback) => {
        answering++
        try {
          return await onCallback(callback)
        } finally {
          answering--
        }
      }),
      onFatal: (error) => {
        throw error
      },
    },
  )
  const { app, demo, sandbox } = gateway
  if (!demo || !sandbox) throw new Error('a sandbox in memory starts empty, so it has a demo account')
  const { clientId, clientSecret, walletToken } = demo
  // A receiver that sleeps, such as between two attempts of a send, keeps the gateway busy until the time moves.
  const lapse = new TimeLapse(clock, (hasSleepers) => gateway.idle() || (hasSleepers && answering > 0))
  let closed: Promise<void> | undefined
  const fetch: Sandbox['fetch'] = async (input, init) =>
    closed ? closedAnswer() : app.fetch(new Request(input, init))
  const close = () => {
    lapse.end()
    closed ??= gateway.stop()
    return closed
  }
  gateway.start()

  const client = createClient({
    baseUrl: BASE_URL,
    clientId,
    clientSecret,
    walletToken,
    from: DEMO_SENDER,
    fetch,
    clock: { now: clock.now, sleep: lapse.sleep },
  })
  const inbox = await openInbox(client, BEFORE_ALL)

  return {
    client,
    fetch,
    credentials: demo,
    callbacks,
    async tell(ticket, verdict) {
      if (!isTicket(ticket)) throw new TypeError(`Expected the ticket of a message; got ${ticket}.`)
      await gateway.tell(ticket, verdict)
    },
    clock: {
      now: () => new Date(clock.now()),
      async advance(by) {
        await lapse.advance(typeof by === 'number' ? by : spanOf(by))
      },
    },
    faults: {
      set(faults) {
        refuseUnknown('faults.set', faults, FAULTS)
        const read = readFaults(faults)
        if ('errors' in read)
          throw new RangeError(
            Object.entries(read.errors)
              .map(([name, error]) => `${name}: ${error}`)
              .join(' '),
          )
        sandbox.faults.set(read)
      },
      off: () => sandbox.faults.set(NO_FAULTS),
    },
    now: inbox.now,
    waitForMessage: inbox.waitForMessage,
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** An answer, since the client would repeat a request that fails without one. */
function closedAnswer(): Response {
  const detail = 'This sandbox was closed: make requests before close(), or create another one.'
  return Response.json({ title: 'Gone', status: 410, detail }, { status: 410 })
}

function refuseUnknown(place: string, given: object, known: readonly string[]): void {
  const name = Object.keys(given).find((one) => !known.includes(one))
  if (name === undefined) return
  const nearest = nearestOf(name, known)
  const hint = nearest === undefined ? '' : `; did you mean ${nearest}?`
  throw new TypeError(`${place}: expected only ${known.join(', ')}; got ${name}${hint || '.'}`)
}

function checkBalance(balance: number | undefined): void {
  if (balance === undefined) return
  try {
    parseAmount(String(balance))
  } catch (error) {
    throw new RangeError(`balance: ${error instanceof Error ? error.message : error}.`)
  }
}

function spanOf(text: string): number {
  const ms = readSpan(text)
  if (ms !== undefined) return ms
  throw new RangeError(
    `Expected milliseconds, or a time such as 90s, 30m, 2h or 3d; got ${JSON.stringify(text)}.`,
  )
}

function capture(callbacks: CapturedCallback[], answer: NonNullable<SandboxOptions['onCallback']>): Outbound {
  return async function post({ url, headers, body }: OutboundRequest) {
    const callback = { url, headers, body: Buffer.from(body ?? '').toString() }
    callbacks.push(callback)
    const response = await answer(callback)
    return {
      kind: 'reply',
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: new Uint8Array(await response.arrayBuffer()),
      truncated: false,
      latencyMs: 0,
    }
  }
}
