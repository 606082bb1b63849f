import type { Connection } from './database.ts'

/** An entry that does not follow the one before it, or whose balances are not its amount apart. */
export interface BrokenEntry {
  walletId: string
  seq: number
}

/** Entries that break their wallet's chain, the first few. One statement, so that a running server disturbs nothing. */
export function brokenEntries({ run }: Connection, most: number): Promise<BrokenEntry[]> {
  return run<BrokenEntry>(
    `SELECT wallet_id AS "walletId", seq FROM (
       SELECT wallet_id, seq, kind, amount, balance_before, balance_after,
         coalesce(lag(seq) OVER chain, 0) AS seq_before,
         coalesce(lag(balance_after) OVER chain, 0) AS after_before
       FROM ledger WINDOW chain AS (PARTITION BY wallet_id ORDER BY seq)
     ) AS entries
     WHERE seq <> seq_before + 1 OR balance_before <> after_before
       OR balance_after <> balance_before + CASE WHEN kind = 'credit' THEN amount ELSE -amount END
     ORDER BY wallet_id, seq LIMIT $1`,
    [most],
  )
}

/** A wallet that says something else than its entries and its messages under way. In micros. */
export interface UnevenWallet {
  walletId: string
  posted: number
  /** Credits less charges. */
  entered: number
  held: number
  /** The prices of its messages under way. */
  promised: number
}

/** Wallets whose posted balance, held part or number of entries is not what their rows add up to, the first few. */
export function unevenWallets({ run }: Connection, most: number): Promise<UnevenWallet[]> {
  return run<UnevenWallet>(
    `SELECT * FROM (
       SELECT w.id AS "walletId", w.posted, w.held, w.entries,
         (SELECT CAST(coalesce(sum(CASE WHEN l.kind = 'credit' THEN l.amount ELSE -l.amount END), 0) AS BIGINT)
          FROM ledger l WHERE l.wallet_id = w.id) AS entered,
         (SELECT CAST(count(*) AS BIGINT) FROM ledger l WHERE l.wallet_id = w.id) AS counted,
         (SELECT CAST(coalesce(sum(m.price), 0) AS BIGINT)
          FROM messages m WHERE m.wallet_id = w.id AND m.status IN ('pending', 'scheduled')) AS promised
       FROM wallets w
     ) AS wallets
     WHERE posted <> entered OR entries <> counted OR held <> promised ORDER BY "walletId" LIMIT $1`,
    [most],
  )
}

/** How many wallets and entries there are. */
export async function countLedger({ run }: Connection): Promise<{ wallets: number; entries: number }> {
  const [row] = await run<{ wallets: number; entries: number }>(
    `SELECT (SELECT count(*) FROM wallets) AS wallets, (SELECT count(*) FROM ledger) AS entries`,
    [],
  )
  return row ?? { wallets: 0, entries: 0 }
}
