import type { EpochMs } from '../../domain/ids.ts'
import type { Database, Tx } from '../../platform/database/database.ts'
import { insertRows } from '../../platform/database/rows.ts'
import { deleteSlice } from '../../platform/database/slices.ts'

/** Limits and keys cover one day; an hour more, so that nothing is missed at the edge. */
const READ_MS = 25 * 3_600_000

export interface JournalStep<Value> {
  /** Entries to add to the journal. */
  append: readonly string[]
  value: Value
}

/** The owner of the sends: an API client or a grant. Decisions lock its row. */
export interface JournalOwner {
  table: 'clients' | 'connections'
  id: string
}

/**
 * Decides on the recent journal of one owner and appends to it, serially across all processes.
 */
export function decideExclusively<Value>(
  database: Database,
  owner: JournalOwner,
  now: EpochMs,
  decide: (entries: readonly string[]) => JournalStep<Value>,
): Promise<Value> {
  return database.write(async (tx) => {
    const { run, locks, t } = tx
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
    await insertRows(tx, t.connectorJournal, added)
    return value
  })
}

/** Deletes a slice of the entries that no limit counts any more. Returns whether there may be more. */
export function pruneJournal(tx: Tx, now: EpochMs): Promise<boolean> {
  return deleteSlice(tx, {
    table: 'connector_journal',
    key: 'client_id, seq',
    where: 'at < $1',
    values: [now - 2 * READ_MS],
    orderBy: 'at',
  })
}
