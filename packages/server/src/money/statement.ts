import { type Micros, micros } from '@wigwag/contract'
import type { EpochMs } from '../domain/ids.ts'
import type { Tx } from '../platform/database/database.ts'
import { entriesOf, seqAtOrBefore } from './ledger.ts'
import { referencesFrom } from './references.ts'
import type { LedgerRow, WalletRow } from './wallets.ts'

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

/** What changed the balance of a wallet since a time, with at most `limit` entries one by one. */
export async function statementOf(
  tx: Tx,
  wallet: WalletRow,
  { since, limit }: { since: EpochMs; limit: number },
): Promise<Statement> {
  const lines = await statementLines(tx, wallet, { since, limit })
  const sums = await tx.run<{ kind: LedgerRow['kind']; isMessage: number; entries: number; amount: Micros }>(
    `SELECT kind, CASE WHEN message_id IS NULL THEN 0 ELSE 1 END AS "isMessage", count(*) AS entries,
       CAST(sum(amount) AS BIGINT) AS amount
     FROM ledger WHERE wallet_id = $1 AND seq >= $2 AND created_at >= $3 GROUP BY 1, 2`,
    [wallet.id, await seqAtOrBefore(tx, wallet, since), since],
  )
  const none = { entries: 0, amount: micros(0) }
  const totals = { credit: none, debit: none, charge: none }
  for (const { kind, isMessage, entries, amount } of sums)
    totals[kindOf(kind, isMessage === 1)] = { entries, amount }
  const { credit, debit, charge } = totals
  return {
    opening: micros(wallet.posted - credit.amount + debit.amount + charge.amount),
    closing: wallet.posted,
    totals,
    lines,
  }
}

/** The newest entries since a time, or those before an entry, newest first. */
export async function statementLines(
  tx: Tx,
  wallet: Pick<WalletRow, 'id'>,
  { since, before, limit }: { since: EpochMs | undefined; before?: number | undefined; limit: number },
): Promise<StatementLine[]> {
  const filter = { from: since, before: undefined }
  const rows = await entriesOf(tx, wallet.id, filter, { after: before, limit })
  const references = await referencesFrom(tx, wallet.id, rows.at(-1)?.seq ?? 0, rows[0]?.seq ?? 0)
  return rows.map((row) => ({
    ...row,
    kind: kindOf(row.kind, row.messageId !== null),
    reference: references.get(row.seq),
  }))
}

function kindOf(kind: LedgerRow['kind'], isMessage: boolean): StatementLine['kind'] {
  if (kind === 'credit') return 'credit'
  return isMessage ? 'charge' : 'debit'
}
