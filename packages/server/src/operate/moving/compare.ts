import { hash } from 'node:crypto'
import { type BookSums, brokenEntries, sumBooks, unevenWallets } from '../../money/index.ts'
import type { ReadOnlyDatabase } from '../../store/database.ts'
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

/** A table to compare. */
export interface ToCompare extends MovedTable {
  /** The target's row for one of the source; undefined for a row that is not moved. Default: the same row. */
  moved?(row: Row): Row | undefined
  /** Whether a row of the target was moved there. Default: all were. */
  isMoved?(row: Row): boolean
}

interface Sides {
  source: ReadOnlyDatabase
  target: ReadOnlyDatabase
  tables: readonly ToCompare[]
  /** Whose books are compared; of all when there is nothing. */
  accountId?: string
  /** Called with how many rows of the source have been compared. */
  onRows(rows: number): void
}

/** Reads everything on both sides and compares it: each row of each table, and what the books add up to. */
export async function compareSides({
  source,
  target,
  tables,
  accountId,
  onRows,
}: Sides): Promise<Comparison> {
  const compared: ComparedTable[] = []
  let done = 0
  for (const table of tables) {
    const { moved = asItIs, isMoved = () => true } = table
    const to = await digestOf(target, table, { shown: (row) => (isMoved(row) ? row : undefined) })
    const from = await digestOf(source, table, {
      shown: moved,
      onSlice(rows) {
        done += rows
        onRows(done)
      },
    })
    const same = from.rows === to.rows && from.digest === to.digest
    compared.push({ table: table.name, from: from.rows, to: to.rows, same })
  }
  const books = compareFigures(await figuresOf(source, accountId), await figuresOf(target, accountId))
  return {
    tables: compared,
    books,
    same: compared.every(({ same }) => same) && books.every(({ from, to }) => from === to),
  }
}

const asItIs = (row: Row) => row

interface Shown {
  shown(row: Row): Row | undefined
  onSlice?(rows: number): void
}

/** A sum of the digests of the rows that are shown: the engines sort keys differently. */
async function digestOf(database: ReadOnlyDatabase, table: MovedTable, { shown, onSlice }: Shown) {
  let rows = 0
  let digest = 0n
  for await (const slice of slicesOf(database, table)) {
    for (const row of slice) {
      const own = shown(row)
      if (!own) continue
      rows++
      digest = BigInt.asUintN(64, digest + digestOfRow(own, table))
    }
    onSlice?.(slice.length)
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

async function figuresOf(database: ReadOnlyDatabase, accountId?: string): Promise<Figure[]> {
  const sums = await database.read((tx) => sumBooks(tx, accountId))
  const broken = await database.read((tx) => brokenEntries(tx, MOST_FAULTS, accountId))
  const uneven = await database.read((tx) => unevenWallets(tx, MOST_FAULTS, accountId))
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
