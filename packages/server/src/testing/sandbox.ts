import { type Client, createClient } from '@wigwag/sdk'
import { pino } from 'pino'
import { compose } from '../compose.ts'
import { loadConfig } from '../config.ts'
import { epochMs, isTicket } from '../domain/ids.ts'
import { readSpan } from '../domain/span.ts'
import type { Outbound, OutboundRequest } from '../platform/outbound/port.ts'
import { DEMO_SENDER, NO_FAULTS, readFaults, type WrittenFaults } from '../sandbox/index.ts'
import { createMovedClock, createTimeLapse } from './clock.ts'

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
export interface Sandbox {
  /** The SDK's client for the demo account. Its messages are from `WIGWAG` where they name no sender. */
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
  /** What goes wrong on purpose, as in the console's controls. */
  faults: {
    /** Switches these on, and all others off. */
    set(faults: WrittenFaults): void
    off(): void
  }
  /** All callbacks posted so far, in order. */
  callbacks: CapturedCallback[]
  /** Gives a message whose recipient ends in 00005 its final status. */
  tell(ticket: string, verdict: 'success' | 'undelivered' | 'expired' | 'rejected' | 'failed'): Promise<void>
  close(): Promise<void>
}

const BASE_URL = 'http://sandbox.invalid'
const A_DAY = 86_400_000

export async function openSandbox(options: SandboxOptions): Promise<Sandbox> {
  const clock = createMovedClock(epochMs((options.startAt ?? new Date('2026-01-05T09:00:00Z')).getTime()))
  const callbacks: CapturedCallback[] = []
  const flags = { database: ':memory:', demoBalance: String(options.balance ?? 100) }
  const gateway = await compose(
    { ...loadConfig(flags, {}), pollMs: A_DAY, lowWalletCheckMs: A_DAY, gatherMs: 0 },
    {
      clock,
      log: pino({ level: 'silent' }),
      outbound: capture(callbacks, options.onCallback ?? (() => new Response())),
      onFatal: (error) => {
        throw error
      },
    },
  )
  const { app, demo, sandbox } = gateway
  if (!demo || !sandbox) throw new Error('a sandbox in memory starts empty, so it has a demo account')
  const { clientId, clientSecret, walletToken } = demo
  const fetch: Sandbox['fetch'] = async (input, init) => app.fetch(new Request(input, init))
  gateway.start()

  const { advance } = createTimeLapse(clock, gateway.idle)

  return {
    client: createClient({
      baseUrl: BASE_URL,
      clientId,
      clientSecret,
      walletToken,
      from: DEMO_SENDER,
      fetch,
    }),
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
        await advance(typeof by === 'number' ? by : spanOf(by))
      },
    },
    faults: {
      set(faults) {
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
    close: () => gateway.stop(),
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
    const callback = { url, headers, body: new TextDecoder().decode(body) }
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
