/** Entries that are made by hand: credits and debits with the operator's references, and wallets that start over. */
import { type Micros, micros, ZERO } from '@wigwag/contract'
import type { EpochMs } from '../kernel/ids.ts'
import { available, type Wallet } from '../kernel/money/ledger.ts'
import type { Tx } from '../store/database.ts'
import { insertRows } from '../store/rows.ts'
import { SLICE } from '../store/slices.ts'
import { creditWallet, debitWallet, type LedgerRow, lockWallet } from './wallets.ts'

/** Above this, a number of micros is not exact. */
export const MOST_IN_WALLET = Math.floor(Number.MAX_SAFE_INTEGER / 1_000_000)

/** An entry that an operator makes by hand. */
export interface Booking {
  kind: 'credit' | 'debit'
  amount: Micros
  /** Makes it once: a second booking of the same under this name changes nothing. */
  reference: string | undefined
}

/**
 * `made`: the wallet after it. `repeated`: it was made before, at a time. `other`: the reference belongs to another
 * entry. `short`: less can be spent. Nothing changes but for `made`.
 */
export type Booked =
  | { result: 'made' | 'short'; wallet: Wallet }
  | { result: 'repeated'; wallet: Wallet; at: EpochMs }
  | { result: 'other'; wallet: Wallet; at: EpochMs; earlier: Pick<Booking, 'kind' | 'amount'> }

/** Credits or debits a wallet, at most once for each reference. */
export async function book(
  tx: Tx,
  walletId: string,
  { kind, amount, reference }: Booking,
  now: EpochMs,
): Promise<Booked> {
  const { entries, ...wallet } = await lockWallet(tx, walletId)
  const entry = reference === undefined ? undefined : await entryOf(tx, walletId, reference)
  if (entry) {
    const earlier = { kind: entry.kind === 'credit' ? 'credit' : 'debit', amount: entry.amount } as const
    const at = entry.createdAt
    const isSame = earlier.kind === kind && earlier.amount === amount
    return isSame ? { result: 'repeated', wallet, at } : { result: 'other', wallet, at, earlier }
  }
  const change = kind === 'credit' ? creditWallet : debitWallet
  const after = await change(tx, walletId, amount, now)
  if (!after) return { result: 'short', wallet }
  if (reference !== undefined) await insertReference(tx, { walletId, reference, seq: entries + 1 })
  return { result: 'made', wallet: after }
}

/** Takes all that is not held off a wallet. Returns how much that was. */
export async function emptyWallet(tx: Tx, walletId: string, now: EpochMs): Promise<Micros> {
  const amount = available(await lockWallet(tx, walletId))
  if (amount <= 0) return ZERO
  await debitWallet(tx, walletId, amount, now)
  return amount
}

/**
 * Deletes a slice of a wallet's entries, the newest first, so that the chain is whole after each slice. The last slice
 * leaves one credit of `start`. Where more is held than the entries that are left cover, a credit covers it. Returns
 * whether there is more to delete.
 */
export async function forgetEntries(
  tx: Tx,
  walletId: string,
  { start, now, slice = SLICE }: { start: Micros; now: EpochMs; slice?: number | undefined },
): Promise<boolean> {
  const { entries, held } = await lockWallet(tx, walletId)
  const kept = Math.max(0, entries - slice)
  const [oldest] = await tx.run<{ before: Micros }>(
    'SELECT balance_before AS before FROM ledger WHERE wallet_id = $1 AND seq = $2',
    [walletId, kept + 1],
  )
  await tx.run('DELETE FROM ledger WHERE wallet_id = $1 AND seq > $2 AND seq <= $3', [
    walletId,
    kept,
    entries,
  ])
  await forgetReferences(tx, walletId, kept)
  const posted = oldest?.before ?? ZERO
  const wanted = Math.max(held, kept === 0 ? start : 0)
  // The wallet may never hold more than it has, so the hold is lifted while the entries change.
  await tx.run('UPDATE wallets SET posted = $1, held = 0, entries = $2 WHERE id = $3', [
    posted,
    kept,
    walletId,
  ])
  if (wanted > posted) await creditWallet(tx, walletId, micros(wanted - posted), now)
  await tx.run('UPDATE wallets SET held = $1 WHERE id = $2', [held, walletId])
  return kept > 0
}

/** An operator's reference for an entry of a wallet's ledger. */
interface Reference {
  walletId: string
  reference: string
  /** The entry's place. */
  seq: number
}

function insertReference(tx: Tx, row: Reference): Promise<void> {
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
async function forgetReferences({ run }: Tx, walletId: string, seq: number): Promise<void> {
  await run('DELETE FROM ledger_references WHERE wallet_id = $1 AND seq > $2', [walletId, seq])
}
