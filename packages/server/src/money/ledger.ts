import { and, desc, eq, gte, lt } from 'drizzle-orm'
import type { EpochMs, Ticket } from '../domain/ids.ts'
import type { Database, Tx } from '../platform/database/database.ts'
import { decode, type Page, type PageRequest, pageOf, wrongCursor } from '../platform/http/paging.ts'
import type { WalletPrincipal } from '../platform/http/principal.ts'
import { findWallet, type LedgerRow, type WalletRow } from './wallets.ts'

/** Which entries to list. An entry must match all conditions. */
export interface LedgerFilter {
  from: EpochMs | undefined
  before: EpochMs | undefined
  /** Only the charge for this message. Give its time too: without one, the whole ledger is read. */
  ticket?: Ticket | undefined
}

/** Reads what was added to a wallet and what was charged. */
export interface Ledger {
  /** A page of the wallet's entries, newest first. */
  list(principal: WalletPrincipal, filter: LedgerFilter, page: PageRequest): Promise<Page<LedgerRow>>
}

export function createLedger(database: Database): Ledger {
  return {
    async list({ wallet: { id } }, filter, { cursor, limit }) {
      const after = decode(cursor)
      if (after && after.id !== id) throw wrongCursor()
      const rows = await database.read((tx) =>
        entriesOf(tx, id, filter, { after: after?.at, limit: limit + 1 }),
      )
      return pageOf(rows, limit, ({ seq, walletId }) => ({ at: seq, id: walletId }))
    },
  }
}

/**
 * Entries are in the order of their commits. Their times are those of the transactions' beginnings, so they may be out
 * of order by as long as a transaction takes, which is far less than this.
 */
const OUT_OF_ORDER_MS = 60_000

/** A wallet's entries, newest first. */
export async function entriesOf(
  tx: Tx,
  walletId: string,
  { from, before, ticket }: LedgerFilter,
  { after, limit }: { after: number | undefined; limit: number },
): Promise<LedgerRow[]> {
  const wallet = await findWallet(tx, walletId)
  if (!wallet) throw new Error(`there is no wallet ${walletId}`)
  const first = from === undefined ? 1 : await seqAtOrBefore(tx, wallet, from)
  const end =
    after ?? (before === undefined ? wallet.entries + 1 : await seqAt(tx, wallet, before + OUT_OF_ORDER_MS))
  const { ledger } = tx.t
  return tx.db
    .select()
    .from(ledger)
    .where(
      and(
        eq(ledger.walletId, walletId),
        gte(ledger.seq, first),
        lt(ledger.seq, end),
        from === undefined ? undefined : gte(ledger.createdAt, from),
        before === undefined ? undefined : lt(ledger.createdAt, before),
        ticket === undefined ? undefined : eq(ledger.messageId, ticket),
      ),
    )
    .orderBy(desc(ledger.seq))
    .limit(limit)
}

/** A seq at or before the first entry created at `at`. */
export function seqAtOrBefore(
  tx: Tx,
  wallet: Pick<WalletRow, 'id' | 'entries'>,
  at: EpochMs,
): Promise<number> {
  return seqAt(tx, wallet, at - OUT_OF_ORDER_MS)
}

/**
 * The seq of the first entry created at `at` or later. Found by bisection, because a ledger has no gaps, and an index
 * on its times would be one more for every charge to write.
 */
async function seqAt(
  { run }: Tx,
  { id, entries }: Pick<WalletRow, 'id' | 'entries'>,
  at: number,
): Promise<number> {
  let low = 1
  let high = entries + 1
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const [entry] = await run<{ createdAt: number }>(
      'SELECT created_at AS "createdAt" FROM ledger WHERE wallet_id = $1 AND seq = $2',
      [id, middle],
    )
    if (entry && entry.createdAt >= at) high = middle
    else low = middle + 1
  }
  return low
}
