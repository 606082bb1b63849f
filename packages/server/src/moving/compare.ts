import { hash } from 'node:crypto'
import { type BookSums, brokenEntries, sumBooks, unevenWallets } from '../money/index.ts'
import type { ReadOnlyDatabase } from '../platform/database/database.ts'
import type { SettingName } from '../platform/database/settings.ts'
import { type MovedTable, type Row, slicesOf } from './walk.ts'

/** A table on both sides. */
export interface ComparedTable {
  table: string
  from: number
  to: number
  /** Whether every row is the same. */
  same: boolean
}

/** A figure of the books on both sides. Amounts are in micros. */
export interface ComparedFigure {
  what: string
  currency: string | undefined
  from: number
  to: number
}

export interface Comparison {
  tables: readonly ComparedTable[]
  books: readonly ComparedFigure[]
  same: boolean
}

interface Sides {
  source: ReadOnlyDatabase
  target: ReadOnlyDatabase
  tables: readonly MovedTable[]
  /** Called with how many rows of the source have been compared. */
  onRows(rows: number): void
}

/** Reads everything on both sides and compares it: each row of each table, and what the books add up to. */
export async function compareSides({ source, target, tables, onRows }: Sides): Promise<Comparison> {
  const compared: ComparedTable[] = []
  let done = 0
  for (const table of tables) {
    const to = await digestOf(target, table, () => {})
    const from = await digestOf(source, table, (rows) => {
      done += rows
      onRows(done)
    })
    const same = from.rows === to.rows && from.digest === to.digest
    compared.push({ table: table.name, from: from.rows, to: to.rows, same })
  }
  const books = compareFigures(await figuresOf(source), await figuresOf(target))
  return {
    tables: compared,
    books,
    same: compared.every(({ same }) => same) && books.every(({ from, to }) => from === to),
  }
}

const OF_THE_MOVE = new Set<unknown>(['moving', 'moved'] satisfies SettingName[])

/** A sum of the digests of all rows: the engines sort keys differently. The settings of the move itself are left out. */
async function digestOf(database: ReadOnlyDatabase, table: MovedTable, onSlice: (rows: number) => void) {
  let rows = 0
  let digest = 0n
  for await (const slice of slicesOf(database, table)) {
    for (const row of slice) {
      if (table.name === 'settings' && OF_THE_MOVE.has(row.name)) continue
      rows++
      digest = BigInt.asUintN(64, digest + digestOfRow(row, table))
    }
    onSlice(slice.length)
  }
  return { rows, digest }
}

function digestOfRow(row: Row, { columns }: MovedTable): bigint {
  const text = JSON.stringify(columns.map(({ name }) => row[name]))
  return hash('sha1', text, 'buffer').readBigUInt64BE()
}

type Figure = Omit<ComparedFigure, 'from' | 'to'> & { value: number }

/** More than this many faults are counted as this many. */
const MOST_FAULTS = 1_000

async function figuresOf(database: ReadOnlyDatabase): Promise<Figure[]> {
  const sums = await database.read(sumBooks)
  const broken = await database.read((tx) => brokenEntries(tx, MOST_FAULTS))
  const uneven = await database.read((tx) => unevenWallets(tx, MOST_FAULTS))
  return [
    ...sums.flatMap(figuresOfCurrency),
    { what: 'entries out of order', currency: undefined, value: broken.length },
    { what: 'wallets that do not add up', currency: undefined, value: uneven.length },
  ]
}

function figuresOfCurrency({ currency, posted, held, credited, charged }: BookSums): Figure[] {
  return [
    { what: 'in wallets', currency, value: posted },
    { what: 'of it held', currency, value: held },
    { what: 'credits in the ledger', currency, value: credited },
    { what: 'charges in the ledger', currency, value: charged },
  ]
}

/** A currency that only one side has counts as 0 on the other. */
function compareFigures(from: readonly Figure[], to: readonly Figure[]): ComparedFigure[] {
  const nameOf = ({ what, currency }: Figure) => `${what} ${currency}`
  const all = new Map([...from, ...to].map((figure) => [nameOf(figure), figure]))
  return [...all].map(([name, { what, currency }]) => ({
    what,
    currency,
    from: from.find((figure) => nameOf(figure) === name)?.value ?? 0,
    to: to.find((figure) => nameOf(figure) === name)?.value ?? 0,
  }))
}
