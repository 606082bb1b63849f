import { getTableName } from 'drizzle-orm'
import type { ReadOnlyDatabase, Value } from '../platform/database/database.ts'
import { tables } from '../platform/database/schema.ts'

export interface MovedTable {
  name: string
  columns: readonly Column[]
  /** The columns of its primary key, in order. */
  key: readonly string[]
}

export interface Column {
  name: string
  type: 'TEXT' | 'BIGINT'
}

export type Row = Readonly<Record<string, Value>>

/** Where a walk through a table has come to: the key of the last row. */
export type Place = readonly Value[]

/** Rows per slice: about a megabyte of messages. */
const SLICE = 2_000

/** Every table in the order of the schema, in which a table comes after those that it refers to. */
export function tableNames(): string[] {
  return Object.values(tables).map(getTableName)
}

/** The tables with their columns, as the SQLite database has them. */
export async function tablesOf(source: ReadOnlyDatabase): Promise<MovedTable[]> {
  const found: MovedTable[] = []
  for (const name of tableNames()) {
    const columns = await source.read(({ run }) => run<Column & { place: number }>(COLUMNS, [name]))
    const key = columns.filter(({ place }) => place > 0).sort((one, other) => one.place - other.place)
    found.push({ name, columns, key: key.map((column) => column.name) })
  }
  return found
}
const COLUMNS = 'SELECT name, type, pk AS place FROM pragma_table_info($1) ORDER BY cid'

/** Reads a table slice by slice in the order of its key, which differs between engines with their collations. */
export async function* slicesOf(
  database: ReadOnlyDatabase,
  { name, columns, key }: MovedTable,
  from?: Place,
): AsyncGenerator<readonly Row[]> {
  const select = `SELECT ${columns.map((column) => column.name).join(', ')} FROM ${name}`
  const order = `ORDER BY ${key.join(', ')} LIMIT ${SLICE}`
  const behind = `WHERE (${key.join(', ')}) > (${key.map((_, index) => `$${index + 1}`).join(', ')})`
  let place = from
  for (;;) {
    const text = place ? `${select} ${behind} ${order}` : `${select} ${order}`
    const values = place ?? []
    const rows = await database.read(({ run }) => run<Row>(text, values))
    const last = rows.at(-1)
    if (!last) return
    yield rows
    if (rows.length < SLICE) return
    place = placeOf(last, key)
  }
}

/** A row's key. */
export function placeOf(row: Row, key: readonly string[]): Place {
  return key.map((column) => row[column] ?? null)
}

export async function countRows(database: ReadOnlyDatabase, table: string): Promise<number> {
  const [row] = await database.read(({ run }) =>
    run<{ rows: number }>(`SELECT count(*) AS rows FROM ${table}`, []),
  )
  return row?.rows ?? 0
}
