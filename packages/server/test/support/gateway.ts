import { pino } from 'pino'
import { onTestFinished } from 'vitest'
import { type Config, loadConfig } from '../../src/config/config.ts'
import { compose, type Gateway } from '../../src/gateway/compose.ts'
import type { RunOptions } from '../../src/gateway/operator-parts.ts'
import { epochMs } from '../../src/kernel/ids.ts'
import type { OutboundRequest } from '../../src/net/outbound/port.ts'
import type { DemoSecrets } from '../../src/sandbox/demo.ts'
import { schemaImage } from '../../src/store/schema/migrate.ts'
import { createMovedClock, TimeLapse } from '../../src/testing/clock.ts'
import { openKept } from './kept.ts'
import { PATIENT } from './patient.ts'

/** A whole gateway in memory, with its store and its operator at hand, and a clock that only tests move. */
export interface TestGateway extends Gateway {
  demo: DemoSecrets
  /** Every callback that was posted, in order. */
  posted: { url: string; body: string }[]
  now(): Date
  /** Moves the time on, and resolves when all that was due has been done. */
  advance(ms: number): Promise<void>
}

const A_DAY = 86_400_000

/** When a gateway is to be stopped. */
export type WhenOver = (stop: () => Promise<void>) => void

/** Opens a gateway that is stopped when the test is over, unless told otherwise. */
export async function openGateway(
  changes: Partial<Config> = {},
  whenOver: WhenOver = onTestFinished,
  options: Partial<RunOptions> = {},
): Promise<TestGateway> {
  const clock = createMovedClock(epochMs(Date.parse('2026-01-05T09:00:00.125Z')))
  const posted: TestGateway['posted'] = []
  const config = loadConfig({ database: ':memory:' }, {}, import.meta.dirname)
  const gateway = await compose(
    { ...config, pollMs: A_DAY, lowWalletCheckMs: A_DAY, alertCheckMs: A_DAY, gatherMs: 0, ...changes },
    {
      clock,
      log: pino({ level: 'silent' }),
      image: await schemaImage(),
      ...PATIENT,
      openDatabase: openKept,
      onFatal(error) {
        throw error
      },
      async outbound({ url, body }: OutboundRequest) {
        posted.push({ url, body: Buffer.from(body ?? '').toString() })
        return {
          kind: 'reply',
          status: 200,
          headers: {},
          body: new Uint8Array(),
          truncated: false,
          latencyMs: 0,
        }
      },
      ...options,
    },
  )
  whenOver(() => gateway.stop().catch(() => undefined))
  const { demo } = gateway
  if (!demo) throw new Error('an empty sandbox has a demo account')
  gateway.start()

  const { advance } = new TimeLapse(clock, gateway.idle)
  return { ...gateway, demo, posted, now: () => new Date(clock.now()), advance }
}
