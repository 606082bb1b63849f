import { getTableName } from 'drizzle-orm'
import type { ReadOnlyDatabase, Tx, Value } from '../../store/database.ts'
import { tables } from '../../store/schema/schema.ts'

export interface MovedTable {
  name: string
  columns: readonly Column[]
  /** Columns that tell its rows apart, in an order that an index has. */
  key: readonly string[]
  /** Which of its rows are moved; all when there is nothing. */
  where?: Where
}

/** A condition in SQL, with its values as $1, $2 and so on. */
export interface Where {
  text: string
  values: readonly Value[]
}

export interface Column {
  name: string
  type: 'TEXT' | 'BIGINT'
}

export type Row = Readonly<Record<string, Value>>

/** Where a walk through a table has come to: the key of the last row. */
export type Place = readonly Value[]

const ALL: Where = { text: 'TRUE', values: [] }

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
  { name, columns, key, where }: MovedTable,
  from?: Place,
): AsyncGenerator<readonly Row[]> {
  const { text: own, values: owner } = where ?? ALL
  const select = `SELECT ${columns.map((column) => column.name).join(', ')} FROM ${name} WHERE ${own}`
  const order = `ORDER BY ${key.join(', ')} LIMIT ${SLICE}`
  const last = key.map((_, index) => `$${owner.length + index + 1}`)
  const behind = `AND (${key.join(', ')}) > (${last.join(', ')})`
  let place = from
  for (;;) {
    const text = place ? `${select} ${behind} ${order}` : `${select} ${order}`
    const values = [...owner, ...(place ?? [])]
    const rows = await database.read(({ run }) => run<Row>(text, values))
    const furthest = rows.at(-1)
    if (!furthest) return
    yield rows
    if (rows.length < SLICE) return
    place = placeOf(furthest, key)
  }
}

/** A row's key. */
export function placeOf(row: Row, key: readonly string[]): Place {
  return key.map((column) => row[column] ?? null)
}

export async function countRows(
  database: ReadOnlyDatabase,
  { name, where: { text, values } = ALL }: Pick<MovedTable, 'name' | 'where'>,
): Promise<number> {
  const [row] = await database.read(({ run }) =>
    run<{ rows: number }>(`SELECT count(*) AS rows FROM ${name} WHERE ${text}`, values),
  )
  return row?.rows ?? 0
}

/** One statement with an array for each column: twice as fast as rows of parameters. Rows that are there already may stay. */
export async function insertSlice(
  { run }: Tx,
  { name, columns }: MovedTable,
  rows: readonly Row[],
  { orKeep = false } = {},
): Promise<void> {
  const names = columns.map((column) => column.name)
  const arrays = columns.map(({ type }, index) => `CAST($${index + 1} AS ${type}[])`)
  const values = names.map((column) => arrayOf(rows.map((row) => row[column] ?? null)))
  await run(
    `INSERT INTO ${name} (${names.join(', ')}) SELECT * FROM unnest(${arrays.join(', ')})${orKeep ? ' ON CONFLICT DO NOTHING' : ''}`,
    values,
  )
}

/** An array as PostgreSQL reads it from text. */
function arrayOf(values: readonly Value[]): string {
  const elements = values.map((value) =>
    value === null ? 'NULL' : `"${String(value).replace(/["\\]/g, '\\$&')}"`,
  )
  return `{${elements.join()}}`
}
