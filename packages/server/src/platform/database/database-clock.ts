import { epochMs } from '../../domain/ids.ts'
import { type Clock, systemClock } from '../clock.ts'
import type { Database } from './database.ts'
import { engineFacts } from './facts.ts'

export interface FollowedClock {
  clock: Clock
  /** Stops following the database's clock. Call it before the database is closed. */
  stop(): void
}

/** Short enough that the machine's counter drifts from the database's time by less than a millisecond. */
const EVERY_MS = 10_000

/**
 * The clock shared by all processes on a database. On PostgreSQL it follows the database's clock: gateways whose clocks
 * differ would otherwise think each other's leases expired. SQLite uses the machine's clock.
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
      // The database is unreachable, which others report. The last measurement stays good for a while.
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
