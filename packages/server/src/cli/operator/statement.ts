import { type Micros, toDecimal } from '@wigwag/contract'
import { Command } from 'commander'
import { requireAccount } from '../../accounts/index.ts'
import type { OperatorParts } from '../../gateway/operator-parts.ts'
import { type EpochMs, epochMs } from '../../kernel/ids.ts'
import { amountOf, changeOf, money } from '../../kernel/money/shown.ts'
import { csvLine } from '../../kernel/text/csv.ts'
import { DAY_MS, type Since } from '../../kernel/time/spans.ts'
import {
  STATEMENT_COLUMNS,
  type Statement,
  statementCells,
  statementLines,
  statementOf,
  type WalletRow,
  walletsOf,
} from '../../money/index.ts'
import type { Tx } from '../../store/database.ts'
import { since, until, wholeNumber } from '../arguments.ts'
import { withDatabase } from '../settings.ts'
import { Failed, lines, type OutputFlags, output, printFile, say, table, withJson } from '../terminal.ts'
import { type StoreFlags, withParts } from './store.ts'

interface StatementFlags extends StoreFlags, OutputFlags {
  since?: Since
  until?: Since
  limit?: number
  csv?: true
}

export function walletStatementCommand(): Command {
  return withJson(withDatabase(new Command('statement')))
    .description('Show what was added to a wallet and taken off it, newest first.')
    .argument('<account>', 'its ID or e-mail')
    .option('--since <time>', 'from then on: 6h, 2d, a day or a time in UTC (default: 30d)', since)
    .option('--until <time>', 'until then, with all of a day (default: now)', until)
    .option('--limit <number>', 'how many entries to list (default: 100, with --csv all)', wholeNumber)
    .option('--csv', 'print the entries as CSV')
    .action(showStatement)
}

const MONTH_MS = 30 * DAY_MS
const USUAL_LIMIT = 100

interface Asked {
  from: EpochMs
  until: EpochMs | undefined
}

async function showStatement(idOrEmail: string, flags: StatementFlags): Promise<void> {
  if (flags.csv && flags.json) throw new Failed('expected --csv or --json, and both came', 2)
  await withParts(flags, async (parts) => {
    const now = parts.clock.now()
    const from = flags.since?.(now) ?? epochMs(Math.max(0, now - MONTH_MS))
    const until = flags.until?.(now)
    if (until !== undefined && until <= from)
      throw new Failed('--until is not after --since, so the period has nothing in it', 2)
    await (flags.csv ? printCsv : showEntries)(parts, idOrEmail, { from, until }, flags)
  })
}

async function walletIn(tx: Tx, idOrEmail: string): Promise<WalletRow> {
  const { id } = await requireAccount(tx, idOrEmail)
  const [wallet] = await walletsOf(tx, id)
  if (!wallet) throw new Failed(`account ${id} has no wallet`)
  return wallet
}

async function showEntries(
  { database }: OperatorParts,
  idOrEmail: string,
  { from, until }: Asked,
  flags: StatementFlags,
): Promise<void> {
  const limit = flags.limit ?? USUAL_LIMIT
  const { statement, currency } = await database.read(async (tx) => {
    const wallet = await walletIn(tx, idOrEmail)
    return { statement: await statementOf(tx, wallet, { since: from, until, limit }), ...wallet }
  })
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
  const about = {
    since: new Date(from).toISOString(),
    until: until === undefined ? null : new Date(until).toISOString(),
    currency,
  }
  output(
    flags,
    {
      ...about,
      opening: toDecimal(opening),
      closing: toDecimal(closing),
      totals: Object.fromEntries(
        Object.entries(totals).map(([kind, { entries, amount }]) => [
          kind,
          { entries, amount: toDecimal(amount) },
        ]),
      ),
      entries,
    },
    asText(statement, about),
  )
  const all = totals.credit.entries + totals.debit.entries + totals.charge.entries
  if (all > entries.length) say(`The newest ${entries.length} of ${all} entries; --limit lists more.`)
}

function asText(
  { opening, closing, totals, lines: found }: Statement,
  about: { since: string; until: string | null; currency: string },
) {
  const cells = found.map(({ createdAt, kind, amount, balanceAfter, messageId, reference }) => [
    new Date(createdAt).toISOString().slice(0, 19),
    kind,
    changeOf(amount, kind === 'credit'),
    amountOf(balanceAfter),
    reference ?? messageId ?? '',
  ])
  const inWords = (amount: Micros) => money(amount, about.currency)
  const sums = lines([
    [`posted balance at ${about.since.slice(0, 19)}Z`, inWords(opening)],
    [`credits (${totals.credit.entries})`, inWords(totals.credit.amount)],
    [`debits (${totals.debit.entries})`, inWords(totals.debit.amount)],
    [`charges (${totals.charge.entries})`, inWords(totals.charge.amount)],
    [
      about.until === null ? 'posted balance now' : `posted balance at ${about.until.slice(0, 19)}Z`,
      inWords(closing),
    ],
  ])
  if (cells.length === 0) return sums
  return `${table(['TIME', 'KIND', 'AMOUNT', 'POSTED BALANCE', 'REFERENCE OR TICKET'], cells)}\n\n${sums}`
}

/** Rows that are read at once. */
const SLICE = 1_000

async function printCsv(
  { database }: OperatorParts,
  idOrEmail: string,
  { from, until }: Asked,
  { limit = Number.MAX_SAFE_INTEGER }: StatementFlags,
): Promise<void> {
  const wallet = await database.read((tx) => walletIn(tx, idOrEmail))
  printLines([csvLine(STATEMENT_COLUMNS)])
  // Entries that are made meanwhile are not in it: it ends where the wallet was.
  let before = wallet.entries + 1
  for (let left = limit; left > 0; ) {
    const page = { since: from, until, before, limit: Math.min(left, SLICE) }
    const found = await database.read((tx) => statementLines(tx, wallet, page))
    const last = found.at(-1)
    if (!last) return
    printLines(found.map((line) => csvLine(statementCells(line, wallet.currency))))
    before = last.seq
    left -= found.length
  }
}

function printLines(lines: readonly string[]): void {
  printFile(lines.join('').slice(0, -1))
}
