import type { EpochMs } from '../domain/ids.ts'
import type { Connection, Database } from './database.ts'
import { insertRows } from './rows.ts'
import { deleteSlice } from './slices.ts'

/** Limits count a day, and a key is remembered as long; an hour more, so that nothing is missed at the edge. */
const READ_MS = 25 * 3_600_000

export interface JournalStep<Value> {
  /** What is added to the journal. */
  append: readonly string[]
  value: Value
}

/** Whose sends they are: an API client's own, or a connection's that a person allowed. They queue for its row. */
export interface JournalOwner {
  table: 'clients' | 'connections'
  id: string
}

/**
 * Decides on what an assistant's connection has done lately, in one step that no other one of it comes between, in
 * whatever process.
 */
export function decideExclusively<Value>(
  database: Database,
  owner: JournalOwner,
  now: EpochMs,
  decide: (entries: readonly string[]) => JournalStep<Value>,
): Promise<Value> {
  return database.write(async (connection) => {
    const { run, locks, t } = connection
    const clientId = owner.id
    await run(`SELECT id FROM ${owner.table} WHERE id = $1 ${locks.forUpdate}`, [clientId])
    const rows = await run<{ seq: number; entry: string }>(
      'SELECT seq, entry FROM connector_journal WHERE client_id = $1 AND at >= $2 ORDER BY seq',
      [clientId, now - READ_MS],
    )
    const { append, value } = decide(rows.map(({ entry }) => entry))
    const [last] = await run<{ seq: number }>(
      'SELECT coalesce(max(seq), 0) AS seq FROM connector_journal WHERE client_id = $1',
      [clientId],
    )
    const next = (last?.seq ?? 0) + 1
    const added = append.map((entry, index) => ({ clientId, seq: next + index, at: now, entry }))
    await insertRows(connection, t.connectorJournal, added)
    return value
  })
}

/** Forgets a slice of what no limit counts any more, and says whether there may be more. */
export function pruneJournal(connection: Connection, now: EpochMs): Promise<boolean> {
  return deleteSlice(connection, {
    table: 'connector_journal',
    key: 'client_id, seq',
    where: 'at < $1',
    values: [now - 2 * READ_MS],
    orderBy: 'at',
  })
}
