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
/** The database tells whole milliseconds. */
const ROUNDED_MS = 1

/**
 * The clock shared by all processes on a database. On PostgreSQL it follows the database's clock: gateways whose clocks
 * differ would otherwise think each other's leases expired. SQLite uses the machine's clock.
 */
export async function clockOf(database: Database, machine: Clock = systemClock): Promise<FollowedClock> {
  if (database.engine === 'sqlite') return { clock: machine, stop() {} }
  let ahead = Number.NaN
  await measure()
  // The first one waited for a connection as well.
  await measure()
  const timer = setInterval(() => {
    // When the database is unreachable, others report it. The last measurement stays good for a while.
    measure().catch(() => undefined)
  }, EVERY_MS)
  timer.unref()

  /**
   * Measures how far the database's time is ahead of the machine's counter. A slow answer, or a process that was
   * stopped meanwhile, leaves a wide range open: the last measurement is moved into it by as little as it takes, since it
   * may be off by a millisecond or two itself.
   */
  async function measure(): Promise<void> {
    const asked = machine.elapsed()
    const { now } = await engineFacts(database)
    const least = now - machine.elapsed() - ROUNDED_MS
    const most = now - asked + ROUNDED_MS
    ahead = Number.isNaN(ahead) ? (least + most) / 2 : Math.min(Math.max(ahead, least), most)
  }

  return {
    clock: { ...machine, now: () => epochMs(Math.round(ahead + machine.elapsed())) },
    stop: () => clearInterval(timer),
  }
}
