import type pg from 'pg'
import { type Pulse, realPulse } from './pulse.ts'

export interface WatchdogOptions {
  answerWithinMs: number
  pulse?: Pulse | undefined
  /** Ends a connection on which the server has not answered. */
  giveUp(client: pg.PoolClient): void
}

/**
 * Watches the connections that are in use. A server that vanished closes nothing, and the system gives up what was sent
 * to it only after a quarter of an hour.
 */
export interface Watchdog {
  /** Must see each connection once, when it is made. */
  meet(client: pg.PoolClient): void
  /** From now on the server owes answers. */
  begin(client: pg.PoolClient): void
  end(client: pg.PoolClient): void
  stop(): void
}

/** A process that was stopped has missed answers without waiting for them, so checks are counted, not time. */
const CHECKS = 4

export function createWatchdog({ answerWithinMs, pulse = realPulse, giveUp }: WatchdogOptions): Watchdog {
  /** How often each connection in use was seen since its last answer. */
  const seen = new Map<pg.PoolClient, number>()

  function check(): void {
    for (const [client, times] of seen) {
      seen.set(client, times + 1)
      if (times >= CHECKS) giveUp(client)
    }
  }

  const stop = pulse(answerWithinMs / CHECKS, check)
  return {
    meet(client) {
      client.on('drain', () => {
        if (seen.has(client)) seen.set(client, 0)
      })
    },
    begin: (client) => void seen.set(client, 0),
    end: (client) => void seen.delete(client),
    stop,
  }
}
