import type { EpochMs } from '../../domain/ids.ts'
import type { Tx } from '../../platform/database/database.ts'
import { deleteSlice } from '../../platform/database/slices.ts'

/** Limits and keys cover today and yesterday; two hours more, so that nothing is missed at the edge. */
const KEEP_MS = 50 * 3_600_000

/** Deletes a slice of the sends that no limit counts any more. Returns whether there may be more. */
export function pruneJournal(tx: Tx, now: EpochMs): Promise<boolean> {
  return deleteSlice(tx, {
    table: 'connector_sends',
    key: 'id',
    where: 'at < $1',
    values: [now - KEEP_MS],
    orderBy: 'at',
  })
}
