import { stat } from 'node:fs/promises'
import { epochMs } from '../kernel/ids.ts'
import { type Clock, systemClock } from '../kernel/process/clock.ts'
import type { Database, ReadOnlyDatabase, Tx } from './database.ts'
import { fileOf } from './open.ts'

export interface EngineFacts {
  version: string
  /** The engine's time in epoch milliseconds. SQLite shares this process's clock. */
  now: number
}

/** Reads the engine's version and time. */
export function engineFacts(database: ReadOnlyDatabase): Promise<EngineFacts> {
  return database.read((tx) => factsIn(tx, database.engine))
}

/** The same, in a transaction. */
export async function factsIn({ run }: Tx, engine: ReadOnlyDatabase['engine']): Promise<EngineFacts> {
  const text =
    engine === 'sqlite'
      ? `SELECT sqlite_version() AS version, CAST(unixepoch('subsec') * 1000 AS INTEGER) AS now`
      : `SELECT current_setting('server_version') AS version,
           CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT) AS now`
  const [facts] = await run<EngineFacts>(text, [])
  return facts ?? { version: 'unknown', now: 0 }
}

/** How large a database is, in bytes. */
export interface DatabaseSize {
  data: number
  /** The size of an SQLite file's log; undefined for other databases. */
  log: number | undefined
}

export async function databaseSize(database: ReadOnlyDatabase, url: string): Promise<DatabaseSize> {
  const file = fileOf(url)
  if (file !== undefined) return { data: await sizeOf(file), log: await sizeOf(`${file}-wal`) }
  const text =
    database.engine === 'sqlite'
      ? 'SELECT page_count * page_size AS data FROM pragma_page_count(), pragma_page_size()'
      : 'SELECT pg_database_size(current_database()) AS data'
  const [row] = await database.read(({ run }) => run<{ data: number }>(text, []))
  return { data: Number(row?.data ?? 0), log: undefined }
}

async function sizeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  )
}

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
