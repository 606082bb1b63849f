import { type Micros, micros } from '@wigwag/contract'
import { and, desc, eq, gte, lt } from 'drizzle-orm'
import type { EpochMs, Ticket } from '../kernel/ids.ts'
import type { WalletPrincipal } from '../kernel/principal.ts'
import { MINUTE_MS } from '../kernel/time/spans.ts'
import { decode, type Page, type PageRequest, pageOf, wrongCursor } from '../net/server/paging.ts'
import type { Database, Tx } from '../store/database.ts'
import { referencesFrom } from './book.ts'
import { findWallet, type LedgerRow, type WalletRow } from './wallets.ts'

/** Which entries to list. An entry must match all conditions. */
interface LedgerFilter {
  from: EpochMs | undefined
  before: EpochMs | undefined
  /** Only the charge for this message. Give its time too: without one, the whole ledger is read. */
  ticket?: Ticket | undefined
}

/** A page of what was added to a wallet and what was charged, newest first. */
export async function ledgerPage(
  database: Database,
  { wallet: { id } }: WalletPrincipal,
  filter: LedgerFilter,
  { cursor, limit }: PageRequest,
): Promise<Page<LedgerRow>> {
  const after = decode(cursor)
  if (after && after.id !== id) throw wrongCursor()
  const rows = await database.read((tx) => entriesOf(tx, id, filter, { after: after?.at, limit: limit + 1 }))
  return pageOf(rows, limit, ({ seq, walletId }) => ({ at: seq, id: walletId }))
}

/** An entry as a statement shows it: a charge is for a message, a debit was made by an operator. */
export interface StatementLine extends Omit<LedgerRow, 'kind'> {
  kind: 'credit' | 'debit' | 'charge'
  reference: string | undefined
}

export interface Statement {
  /** The posted balance before and after the period. */
  opening: Micros
  closing: Micros
  totals: Record<StatementLine['kind'], { entries: number; amount: Micros }>
  /** The newest, newest first. */
  lines: StatementLine[]
}

/** From a time on, and until before another one; undefined for the first entry and the last. */
export interface Period {
  since: EpochMs | undefined
  until?: EpochMs | undefined
}

/** The changes of a wallet's balance in a period, with at most `limit` entries one by one. */
export async function statementOf(
  tx: Tx,
  wallet: WalletRow,
  { since, until, limit }: Period & { limit: number },
): Promise<Statement> {
  const lines = await statementLines(tx, wallet, { since, until, limit })
  const totals = await totalsOf(tx, wallet, { since, until })
  const later = until === undefined ? 0 : changeBy(await totalsOf(tx, wallet, { since: until }))
  const closing = micros(wallet.posted - later)
  return { opening: micros(closing - changeBy(totals)), closing, totals, lines }
}

async function totalsOf(tx: Tx, wallet: WalletRow, { since, until }: Period): Promise<Statement['totals']> {
  const first = since === undefined ? 1 : await seqAtOrBefore(tx, wallet, since)
  const sums = await tx.run<{ kind: LedgerRow['kind']; isMessage: number; entries: number; amount: Micros }>(
    `SELECT kind, CASE WHEN message_id IS NULL THEN 0 ELSE 1 END AS "isMessage", count(*) AS entries,
       CAST(sum(amount) AS BIGINT) AS amount
     FROM ledger WHERE wallet_id = $1 AND seq >= $2 AND created_at >= $3 AND created_at < $4 GROUP BY 1, 2`,
    [wallet.id, first, since ?? 0, until ?? Number.MAX_SAFE_INTEGER],
  )
  const none = { entries: 0, amount: micros(0) }
  const totals = { credit: none, debit: none, charge: none }
  for (const { kind, isMessage, entries, amount } of sums)
    totals[kindOf(kind, isMessage === 1)] = { entries, amount }
  return totals
}

function changeBy({ credit, debit, charge }: Statement['totals']): number {
  return credit.amount - debit.amount - charge.amount
}

/** The newest entries of a period, or those of it before an entry, newest first. */
export async function statementLines(
  tx: Tx,
  wallet: Pick<WalletRow, 'id'>,
  { since, until, before, limit }: Period & { before?: number | undefined; limit: number },
): Promise<StatementLine[]> {
  const filter = { from: since, before: until }
  const rows = await entriesOf(tx, wallet.id, filter, { after: before, limit })
  const references = await referencesOf(tx, wallet.id, rows)
  return rows.map((row) => ({
    ...row,
    kind: kindOf(row.kind, row.messageId !== null),
    reference: references.get(row.seq),
  }))
}

/** The operator's references of some entries that follow each other, newest first, by the entry's place. */
export function referencesOf(
  tx: Tx,
  walletId: string,
  rows: readonly Pick<LedgerRow, 'seq'>[],
): Promise<Map<number, string>> {
  return referencesFrom(tx, walletId, rows.at(-1)?.seq ?? 0, rows[0]?.seq ?? 0)
}

function kindOf(kind: LedgerRow['kind'], isMessage: boolean): StatementLine['kind'] {
  if (kind === 'credit') return 'credit'
  return isMessage ? 'charge' : 'debit'
}

/**
 * Entries are in the order of their commits. Their times are those of the transactions' beginnings, so they may be out
 * of order by as long as a transaction takes, which is far less than this.
 */
const OUT_OF_ORDER_MS = MINUTE_MS

/** A wallet's entries, newest first. */
async function entriesOf(
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
function seqAtOrBefore(tx: Tx, wallet: Pick<WalletRow, 'id' | 'entries'>, at: EpochMs): Promise<number> {
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
