import { type Micros, micros } from '@wigwag/contract'
import { eq } from 'drizzle-orm'
import { type WatchCountOptions, watchCount } from '../flow/observe/watch-count.ts'
import type { EpochMs } from '../kernel/ids.ts'
import type { Watched } from '../kernel/process/metrics.ts'
import type { Tx } from '../store/database.ts'

/** Warns when less than this can be spent of a wallet; undefined for never. A mark that is there stays until the next check. */
export async function setWarning(
  { run, db, t }: Tx,
  walletId: string,
  below: Micros | undefined,
): Promise<void> {
  if (below === undefined) {
    await db.delete(t.walletWarnings).where(eq(t.walletWarnings.walletId, walletId))
    return
  }
  await run(
    `INSERT INTO wallet_warnings (wallet_id, threshold) VALUES ($1, $2)
     ON CONFLICT (wallet_id) DO UPDATE SET threshold = excluded.threshold`,
    [walletId, below],
  )
}

/** Below which amount a wallet is low; undefined for never. */
export async function warningOf({ db, t }: Tx, walletId: string): Promise<Micros | undefined> {
  const [row] = await db.select().from(t.walletWarnings).where(eq(t.walletWarnings.walletId, walletId))
  return row?.threshold
}

/** The thresholds of all wallets that have one. */
export async function warningsByWallet({ db, t }: Tx): Promise<Map<string, Micros>> {
  const rows = await db.select().from(t.walletWarnings)
  return new Map(rows.map(({ walletId, threshold }) => [walletId, threshold]))
}

/** A wallet that came to have less than its threshold. */
export interface WentLow {
  walletId: string
  available: Micros
  threshold: Micros
}

const AVAILABLE = '(SELECT w.posted - w.held FROM wallets w WHERE w.id = wallet_warnings.wallet_id)'
const WENT_LOW = `low_since = 0 AND threshold > ${AVAILABLE}`
const RECOVERED = `low_since > 0 AND threshold <= ${AVAILABLE}`

/** Whether a wallet went below its threshold or back since it was last marked. Locks nothing. */
export async function isMarkStale({ run }: Tx): Promise<boolean> {
  const rows = await run(
    `SELECT 1 AS one FROM wallet_warnings WHERE (${WENT_LOW}) OR (${RECOVERED}) LIMIT 1`,
    [],
  )
  return rows.length > 0
}

/**
 * Clears the marks of wallets that are back at their threshold, marks those that went below it and returns them.
 * Exactly one concurrent caller returns each. Locks no wallet, so no send waits.
 */
export async function markLow({ run, locks }: Tx, now: EpochMs): Promise<WentLow[]> {
  const found = (condition: string) => `WITH found AS MATERIALIZED (
    SELECT wallet_id FROM wallet_warnings WHERE ${condition} ORDER BY wallet_id ${locks.skipLocked})`
  await run(
    `${found(RECOVERED)} UPDATE wallet_warnings SET low_since = 0 WHERE wallet_id IN (SELECT wallet_id FROM found)`,
    [],
  )
  const rows = await run<WentLow>(
    `${found(WENT_LOW)} UPDATE wallet_warnings SET low_since = $1 WHERE wallet_id IN (SELECT wallet_id FROM found)
     RETURNING wallet_id AS "walletId", threshold, ${AVAILABLE} AS available`,
    [now],
  )
  return rows.map((row) => ({ ...row, available: micros(row.available) }))
}

/** How many wallets are marked as low. */
export async function countLow({ run }: Tx): Promise<number> {
  const [row] = await run<{ count: number }>(LOW_WALLETS, [])
  return row?.count ?? 0
}

/** A wallet that is marked as low, and whose it is. */
export interface LowWallet {
  walletId: string
  accountId: string
  available: Micros
  threshold: Micros
  currency: string
}

/** In which order wallets that are low are read: by the part of their threshold that is left, or the longest low first. */
const ORDERS = { least: '(w.posted - w.held) * 1.0 / low.threshold', longest: 'low.low_since' }

/** The wallets marked as low. */
export async function lowWallets(
  { run }: Tx,
  { first, limit }: { first: keyof typeof ORDERS; limit: number },
): Promise<LowWallet[]> {
  const rows = await run<LowWallet>(
    `SELECT w.id AS "walletId", w.account_id AS "accountId", w.posted - w.held AS available, low.threshold, w.currency
     FROM wallet_warnings low JOIN wallets w ON w.id = low.wallet_id
     WHERE low.low_since > 0 ORDER BY ${ORDERS[first]}, w.id LIMIT $1`,
    [limit],
  )
  return rows.map((row) => ({ ...row, available: micros(row.available), threshold: micros(row.threshold) }))
}

const LOW_WALLETS = 'SELECT count(*) AS count FROM wallet_warnings WHERE low_since > 0'
const LOW: Omit<Watched, 'labels'> = {
  name: 'wigwag_accounts_low_wallet',
  help: 'The database: wallets that have less than the threshold that was set for them.',
  aggregator: 'max',
}

/** Shows how many wallets are marked as low. */
export function watchLowWallets(options: WatchCountOptions): void {
  watchCount(options, LOW, LOW_WALLETS)
}
