import type { Tx } from '../store/database.ts'

/** An entry that does not continue the previous one, or whose balances do not differ by its amount. */
export interface BrokenEntry {
  walletId: string
  seq: number
}

/** Of all accounts, or of one. */
type Whose = string | undefined

/** A condition on wallets. The account is the parameter with this number. */
const ownedBy = (accountId: Whose, number: number) =>
  accountId === undefined ? 'TRUE' : `account_id = $${number}`

/** The first `most` entries that break their wallet's chain. One statement, so that it is safe on a running server. */
export function brokenEntries({ run }: Tx, most: number, accountId?: string): Promise<BrokenEntry[]> {
  return run<BrokenEntry>(
    `SELECT wallet_id AS "walletId", seq FROM (
       SELECT wallet_id, seq, kind, amount, balance_before, balance_after,
         coalesce(lag(seq) OVER chain, 0) AS seq_before,
         coalesce(lag(balance_after) OVER chain, 0) AS after_before
       FROM ledger ${accountId === undefined ? '' : `WHERE wallet_id IN (SELECT id FROM wallets WHERE ${ownedBy(accountId, 1)})`}
       WINDOW chain AS (PARTITION BY wallet_id ORDER BY seq)
     ) AS entries
     WHERE seq <> seq_before + 1 OR balance_before <> after_before
       OR balance_after <> balance_before + CASE WHEN kind = 'credit' THEN amount ELSE -amount END
     ORDER BY wallet_id, seq LIMIT ${most}`,
    given(accountId),
  )
}

/** A wallet that disagrees with its entries or its messages in progress. Amounts are in micros. */
export interface UnevenWallet {
  walletId: string
  posted: number
  /** Credits minus charges. */
  entered: number
  held: number
  /** The total price of its messages in progress. */
  promised: number
}

/** The first `most` wallets whose posted balance, held amount or entry count disagrees with their rows. */
export function unevenWallets({ run }: Tx, most: number, accountId?: string): Promise<UnevenWallet[]> {
  return run<UnevenWallet>(
    `SELECT * FROM (
       SELECT w.id AS "walletId", w.posted, w.held, w.entries,
         (SELECT CAST(coalesce(sum(CASE WHEN l.kind = 'credit' THEN l.amount ELSE -l.amount END), 0) AS BIGINT)
          FROM ledger l WHERE l.wallet_id = w.id) AS entered,
         (SELECT CAST(count(*) AS BIGINT) FROM ledger l WHERE l.wallet_id = w.id) AS counted,
         (SELECT CAST(coalesce(sum(m.price), 0) AS BIGINT)
          FROM messages m WHERE m.wallet_id = w.id AND m.status IN ('pending', 'scheduled')) AS promised
       FROM wallets w WHERE ${ownedBy(accountId, 1)}
     ) AS wallets
     WHERE posted <> entered OR entries <> counted OR held <> promised ORDER BY "walletId" LIMIT ${most}`,
    given(accountId),
  )
}

/** The number of wallets and of entries. */
export async function countLedger({ run }: Tx): Promise<{ wallets: number; entries: number }> {
  const [row] = await run<{ wallets: number; entries: number }>(
    `SELECT (SELECT count(*) FROM wallets) AS wallets, (SELECT count(*) FROM ledger) AS entries`,
    [],
  )
  return row ?? { wallets: 0, entries: 0 }
}

/** The sums of all wallets of a currency, and of their entries, in micros. */
export interface BookSums {
  currency: string
  posted: number
  held: number
  credited: number
  charged: number
}

export function sumBooks({ run }: Tx, accountId?: string): Promise<BookSums[]> {
  const entries = (kind: 'credit' | 'post', number: number) =>
    `(SELECT CAST(coalesce(sum(l.amount), 0) AS BIGINT) FROM ledger l JOIN wallets o ON o.id = l.wallet_id
      WHERE o.currency = w.currency AND l.kind = '${kind}' AND ${ownedBy(accountId, number)})`
  return run<BookSums>(
    `SELECT currency, CAST(sum(posted) AS BIGINT) AS posted, CAST(sum(held) AS BIGINT) AS held,
       ${entries('credit', 1)} AS credited, ${entries('post', 2)} AS charged
     FROM wallets w WHERE ${ownedBy(accountId, 3)} GROUP BY currency ORDER BY currency`,
    [...given(accountId), ...given(accountId), ...given(accountId)],
  )
}

function given(accountId: Whose): string[] {
  return accountId === undefined ? [] : [accountId]
}
