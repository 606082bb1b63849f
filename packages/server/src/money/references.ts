import type { EpochMs } from '../domain/ids.ts'
import type { Tx } from '../platform/database/database.ts'
import { insertRows } from '../platform/database/rows.ts'
import type { LedgerRow } from './wallets.ts'

/** What an operator called an entry of a wallet's ledger. */
export interface Reference {
  walletId: string
  reference: string
  /** The entry's place. */
  seq: number
}

export function insertReference(tx: Tx, row: Reference): Promise<void> {
  return insertRows(tx, tx.t.ledgerReferences, [row])
}

/** The entry that a reference was given to. */
export type Referred = Pick<LedgerRow, 'kind' | 'amount'> & { createdAt: EpochMs }

/** Lock the wallet first, so that the answer stays true until the transaction ends. */
export async function entryOf(
  { run }: Tx,
  walletId: string,
  reference: string,
): Promise<Referred | undefined> {
  const [row] = await run<Referred>(
    `SELECT l.kind, l.amount, l.created_at AS "createdAt" FROM ledger_references r
     JOIN ledger l ON l.wallet_id = r.wallet_id AND l.seq = r.seq WHERE r.wallet_id = $1 AND r.reference = $2`,
    [walletId, reference],
  )
  return row
}

/** A wallet's references from one entry to another, by the entry's place. */
export async function referencesFrom(
  { run }: Tx,
  walletId: string,
  first: number,
  last: number,
): Promise<Map<number, string>> {
  const rows = await run<{ seq: number; reference: string }>(
    'SELECT seq, reference FROM ledger_references WHERE wallet_id = $1 AND seq >= $2 AND seq <= $3',
    [walletId, first, last],
  )
  return new Map(rows.map((row) => [row.seq, row.reference]))
}

/** Deletes the references of the entries after a place. */
export async function forgetReferences({ run }: Tx, walletId: string, seq: number): Promise<void> {
  await run('DELETE FROM ledger_references WHERE wallet_id = $1 AND seq > $2', [walletId, seq])
}
