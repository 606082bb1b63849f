import { formatAmount, type Micros, toDecimal } from '@wigwag/contract'
import { Command } from 'commander'
import { requireAccount } from '../../../accounts/index.ts'
import { epochMs } from '../../../domain/ids.ts'
import type { Since } from '../../../domain/since.ts'
import { type Statement, statementOf, walletsOf } from '../../../money/index.ts'
import { since, wholeNumber } from '../../arguments.ts'
import { withDatabase } from '../../settings.ts'
import { Failed, lines, type OutputFlags, output, say, table, withJson } from '../../terminal.ts'
import { type StoreFlags, withParts } from '../store.ts'

interface StatementFlags extends StoreFlags, OutputFlags {
  since?: Since
  limit: number
}

export function walletStatementCommand(): Command {
  return withJson(withDatabase(new Command('statement')))
    .description('Show what was added to a wallet and taken off it, newest first.')
    .argument('<account>', 'its ID or e-mail')
    .option('--since <time>', 'from then on: 6h, 2d, a day or a time in UTC (default: 30d)', since)
    .option('--limit <number>', 'how many entries to list', wholeNumber, 100)
    .action(showStatement)
}

const MONTH_MS = 30 * 86_400_000

async function showStatement(idOrEmail: string, flags: StatementFlags): Promise<void> {
  const { statement, from, currency } = await withParts(flags, ({ database, clock }) =>
    database.read(async (tx) => {
      const { id } = await requireAccount(tx, idOrEmail)
      const [wallet] = await walletsOf(tx, id)
      if (!wallet) throw new Failed(`account ${id} has no wallet`)
      const now = clock.now()
      const from = flags.since?.(now) ?? epochMs(Math.max(0, now - MONTH_MS))
      const statement = await statementOf(tx, wallet, { since: from, limit: flags.limit })
      return { statement, from, currency: wallet.currency }
    }),
  )
  const { opening, closing, totals } = statement
  const entries = statement.lines.map(
    ({ seq, createdAt, kind, amount, balanceAfter, messageId, reference }) => ({
      seq,
      at: new Date(createdAt).toISOString(),
      kind,
      amount: toDecimal(amount),
      balanceAfter: toDecimal(balanceAfter),
      ticket: messageId,
      reference: reference ?? null,
    }),
  )
  const since = new Date(from).toISOString()
  output(
    flags,
    {
      ...{ since, currency, opening: toDecimal(opening), closing: toDecimal(closing) },
      totals: Object.fromEntries(
        Object.entries(totals).map(([kind, { entries, amount }]) => [
          kind,
          { entries, amount: toDecimal(amount) },
        ]),
      ),
      entries,
    },
    asText(statement, { since, currency }),
  )
  const all = totals.credit.entries + totals.debit.entries + totals.charge.entries
  if (all > entries.length) say(`The newest ${entries.length} of ${all} entries; --limit lists more.`)
}

function asText(
  { opening, closing, totals, lines: found }: Statement,
  about: { since: string; currency: string },
) {
  const cells = found.map(({ createdAt, kind, amount, balanceAfter, messageId, reference }) => [
    ...[
      new Date(createdAt).toISOString().slice(0, 19),
      kind,
      `${kind === 'credit' ? '' : '-'}${formatAmount(amount)}`,
    ],
    ...[formatAmount(balanceAfter), reference ?? messageId ?? ''],
  ])
  const inWords = (amount: Micros) => `${formatAmount(amount)} ${about.currency}`
  const sums = lines([
    [`posted balance at ${about.since.slice(0, 19)}Z`, inWords(opening)],
    [`credits (${totals.credit.entries})`, inWords(totals.credit.amount)],
    [`debits (${totals.debit.entries})`, inWords(totals.debit.amount)],
    [`charges (${totals.charge.entries})`, inWords(totals.charge.amount)],
    ['posted balance now', inWords(closing)],
  ])
  if (cells.length === 0) return sums
  return `${table(['TIME', 'KIND', 'AMOUNT', 'POSTED BALANCE', 'REFERENCE OR TICKET'], cells)}\n\n${sums}`
}
