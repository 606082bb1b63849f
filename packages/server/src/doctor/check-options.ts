import type { Config } from '../config.ts'
import { type EpochMs, epochMs } from '../domain/ids.ts'
import { systemClock } from '../platform/clock.ts'
import type { ReadOnlyDatabase } from '../platform/database/database.ts'
import { aheadOf } from '../sandbox/index.ts'

/** The time that the rows go by: in a sandbox, what people have moved its clock forward to. */
export async function nowIn(
  database: ReadOnlyDatabase,
  { environment }: Pick<Config, 'environment'>,
): Promise<EpochMs> {
  const ahead = environment === 'sandbox' ? await database.read(aheadOf) : 0
  return epochMs(systemClock.now() + ahead)
}

/** What a check is given besides the database. */
export interface CheckOptions {
  /** The time that the rows go by. */
  now(): Promise<EpochMs>
  /** How many waiting messages of a carrier are counted; all when undefined. */
  most: number | undefined
}

/** When the newest row was created; 0 when there is none. A time in the future means that a clock was set back. */
export async function newestRow(database: ReadOnlyDatabase): Promise<number> {
  const [row] = await database.read(({ run }) =>
    run<{ newest: number | null }>(
      `SELECT max(at) AS newest FROM (
         SELECT max(created_at) AS at FROM accounts
         UNION ALL SELECT (SELECT at FROM audit ORDER BY id DESC LIMIT 1) AS at
         UNION ALL SELECT (SELECT created_at FROM messages ORDER BY id DESC LIMIT 1) AS at) AS rows_`,
      [],
    ),
  )
  return row?.newest ?? 0
}
