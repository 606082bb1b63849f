import { type Client, createClient } from '@wigwag/sdk'
import { pino } from 'pino'
import { compose, type Gateway } from '../compose.ts'
import { loadConfig } from '../config.ts'
import { epochMs } from '../domain/ids.ts'
import type { AccountSecrets } from '../gateway/operator.ts'
import type { Outbound, OutboundRequest } from '../gateway/ports.ts'
import { createMovedClock } from './clock.ts'

export interface SandboxOptions {
  /** What the demo account's wallet holds, in its currency. 100 when left out. */
  balance?: number
  /** When the sandbox's clock starts. */
  startAt?: Date
  /** What a receiver of callbacks answers; 200 when left out. */
  onCallback?(callback: CapturedCallback): Response | Promise<Response>
}

/** A callback as it was posted: hand it to `verifyCallback` as a request would be. */
export interface CapturedCallback {
  url: string
  headers: Record<string, string>
  body: string
}

/** A whole gateway in this process and in memory, without a network and with a clock of its own. */
export interface Sandbox {
  /** The SDK's client for the demo account. */
  client: Client
  /** The gateway's door: what `fetch` would be for a gateway elsewhere. */
  fetch(request: Request): Promise<Response>
  credentials: AccountSecrets
  clock: {
    now(): Date
    /** Moves the time on. Resolves when everything that was due by then has been done. */
    advance(ms: number): Promise<void>
  }
  /** Every callback that was posted, in order. */
  callbacks: CapturedCallback[]
  /** Gives a message whose recipient ends in 00005 its final status. */
  tell: Gateway['simulator']['tell']
  close(): Promise<void>
}

const BASE_URL = 'http://sandbox.invalid'
const A_DAY = 86_400_000

/** Opens a sandbox. Close it when the test is over. */
export async function createSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const clock = createMovedClock(epochMs((options.startAt ?? new Date('2026-01-05T09:00:00Z')).getTime()))
  const callbacks: CapturedCallback[] = []
  const flags = { database: ':memory:', demoBalance: String(options.balance ?? 100) }
  const gateway = await compose(
    { ...loadConfig(flags, {}), pollMs: A_DAY, gatherMs: 0 },
    {
      clock,
      log: pino({ level: 'silent' }),
      outbound: capture(callbacks, options.onCallback ?? (() => new Response())),
      onFatal: (error) => {
        throw error
      },
    },
  )
  const { app, demo } = gateway
  if (!demo) throw new Error('a sandbox in memory starts empty, so it has a demo account')
  const { clientId, clientSecret, walletToken } = demo
  const fetch = async (request: Request) => app.fetch(request)
  gateway.start()

  /** Idle for several turns of the event loop: whoever hands work on does it within one. */
  async function settled(): Promise<void> {
    for (let quiet = 0; quiet < 5; quiet = gateway.idle() ? quiet + 1 : 0) await new Promise(setImmediate)
  }

  return {
    client: createClient({ baseUrl: BASE_URL, clientId, clientSecret, walletToken, fetch }),
    fetch,
    credentials: demo,
    callbacks,
    tell: gateway.simulator.tell,
    clock: {
      now: () => new Date(clock.now()),
      async advance(ms) {
        const target = epochMs(clock.now() + ms)
        await settled()
        for (let next = clock.nextTimer(); next !== undefined && next <= target; next = clock.nextTimer()) {
          clock.moveTo(next)
          await settled()
        }
        clock.moveTo(target)
        await settled()
      },
    },
    close: () => gateway.stop(),
  }
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
