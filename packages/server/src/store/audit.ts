import type { EpochMs } from '../domain/ids.ts'
import type { Connection } from './database.ts'
import { insertRows } from './rows.ts'
import type { Tables } from './schema.ts'
import { deleteSlice } from './slices.ts'

const HOUR_MS = 3_600_000

export function insertAudit(
  connection: Connection,
  rows: readonly Tables['audit']['$inferSelect'][],
): Promise<void> {
  return insertRows(connection, connection.t.audit, rows)
}

/** One failure, to be counted. */
export interface Failure {
  action: string
  /** Null when no account is known by what was typed. */
  accountId: string | null
  at: EpochMs
  detail: string
}

/** Counts a failure into the row of its action, account and hour, and keeps its detail as that of the last one. */
export async function countFailure(
  { run }: Connection,
  { action, accountId, at, detail }: Failure,
): Promise<void> {
  await run(
    `INSERT INTO audit_failures (action, account_id, hour, failures, last_at, detail) VALUES ($1, $2, $3, 1, $4, $5)
     ON CONFLICT (action, account_id, hour) DO UPDATE SET failures = audit_failures.failures + 1,
       last_at = excluded.last_at, detail = excluded.detail`,
    [action, accountId ?? '', at - (at % HOUR_MS), at, detail],
  )
}

/** Forgets a slice of the hours of failures before a time, and says whether there may be more. */
export function pruneFailures(connection: Connection, before: EpochMs): Promise<boolean> {
  return deleteSlice(connection, {
    table: 'audit_failures',
    key: 'action, account_id, hour',
    where: 'hour < $1',
    values: [before],
    orderBy: 'hour',
  })
}
