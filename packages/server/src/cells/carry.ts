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
import type { Staying } from './people.ts'

export interface CarryOptions {
  source: Database
  target: Database
  accountId: string
  tables: readonly OwnTable[]
  staying: Staying
  startProgress(total: number, what: 'rows copied' | 'rows compared'): Progress | Promise<Progress>
}

/** Copies what belongs to an account, and compares both sides. Rows that are there already from a copy before stay. */
export async function carry(options: CarryOptions): Promise<Comparison> {
  const { source, target, accountId, tables, staying, startProgress } = options
  let total = 0
  for (const table of tables) total += await countRows(source, table)
  const copying = await startProgress(total, 'rows copied')
  try {
    let done = 0
    for (const table of tables)
      for await (const rows of slicesOf(source, table)) {
        const theirs = rows.map((row) => asThere(row, table, staying)).filter((row) => row !== undefined)
        await target.write((tx) => insertSlice(tx, table, theirs, { orKeep: true }))
        done += rows.length
        copying.update(done)
      }
  } finally {
    copying.stop()
  }
  const comparing = await startProgress(total, 'rows compared')
  return compareSides({
    ...{ source, target, accountId, onRows: comparing.update },
    tables: tables.map((table) => ({
      ...{ ...table, columns: table.columns.filter(({ name }) => !table.uses?.includes(name)) },
      moved: (row: Row) => asThere(row, table, staying),
    })),
  }).finally(comparing.stop)
}

/** A row as the other cell has it; undefined for one of a person whose address is taken there. */
function asThere(row: Row, { name, person }: OwnTable, { taken, ended }: Staying): Row | undefined {
  if (person === undefined) return row
  const id = String(row[person])
  if (taken.has(id)) return undefined
  return name === 'people' && ended.has(id) ? { ...row, password_hash: null } : row
}
