import { type Clock, systemClock } from '../clock.ts'
import { epochMs } from '../domain/ids.ts'
import type { Database } from './database.ts'
import { engineFacts } from './engine.ts'

export interface FollowedClock {
  clock: Clock
  /** Stops following, before the database is closed. */
  stop(): void
}

/** How far the machine's counter can drift from the database's time in between is a fraction of a millisecond. */
const EVERY_MS = 10_000

/**
 * The clock that everyone who shares a database goes by. On PostgreSQL that is the database's own: gateways whose
 * clocks are apart would otherwise take each other's leases for ended. SQLite has the clock of its machine.
 */
export async function clockOf(
  database: Database,
  machine: Clock = systemClock,
  everyMs = EVERY_MS,
): Promise<FollowedClock> {
  if (database.engine === 'sqlite') return { clock: machine, stop() {} }
  let ahead = await measure()
  const timer = setInterval(() => {
    measure().then(
      (measured) => {
        ahead = measured
      },
      // What was measured before holds for a while: the database is away, and others report that.
      () => undefined,
    )
  }, everyMs)
  timer.unref()

  /** How far the database's time is ahead of the machine's counter. */
  async function measure(): Promise<number> {
    const asked = machine.elapsed()
    const { now } = await engineFacts(database)
    return now - (asked + machine.elapsed()) / 2
  }

  return {
    clock: { ...machine, now: () => epochMs(Math.round(ahead + machine.elapsed())) },
    stop: () => clearInterval(timer),
  }
}
