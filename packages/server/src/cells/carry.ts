import {
  type Comparison,
  compareSides,
  countRows,
  insertSlice,
  type Progress,
  type Row,
  slicesOf,
} from '../moving/index.ts'
import type { Database } from '../platform/database/database.ts'
import type { OwnTable } from './belongings.ts'

export interface CarryOptions {
  source: Database
  target: Database
  accountId: string
  tables: readonly OwnTable[]
  /** People who are there already, by their IDs here: their IDs there. */
  known: Readonly<Record<string, string>>
  startProgress(total: number, what: 'rows copied' | 'rows compared'): Progress | Promise<Progress>
}

/** Copies what belongs to an account, and compares both sides. Rows that are there already from a copy before stay. */
export async function carry(options: CarryOptions): Promise<Comparison> {
  const { source, target, accountId, tables, known, startProgress } = options
  let total = 0
  for (const table of tables) total += await countRows(source, table)
  const copying = await startProgress(total, 'rows copied')
  try {
    let done = 0
    for (const table of tables)
      for await (const rows of slicesOf(source, table)) {
        const theirs = rows.map((row) => asThere(row, table, known)).filter((row) => row !== undefined)
        await target.write((tx) => insertSlice(tx, table, theirs, { orKeep: true }))
        done += rows.length
        copying.update(done)
      }
  } finally {
    copying.stop()
  }
  const comparing = await startProgress(total, 'rows compared')
  const isKnown = new Set<unknown>(Object.values(known))
  return compareSides({
    ...{ source, target, accountId, onRows: comparing.update },
    tables: tables.map((table) => ({
      ...{ ...table, columns: table.columns.filter(({ name }) => !table.uses?.includes(name)) },
      moved: (row: Row) => asThere(row, table, known),
      isMoved: (row: Row) => !(table.shared && isKnown.has(row[table.person ?? ''])),
    })),
  }).finally(comparing.stop)
}

/** A row as the other cell has it; undefined for one of a person who is there already. */
function asThere(row: Row, { person, shared }: OwnTable, known: CarryOptions['known']): Row | undefined {
  if (person === undefined) return row
  const there = known[String(row[person])]
  if (there === undefined) return row
  return shared ? undefined : { ...row, [person]: there }
}
