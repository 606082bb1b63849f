import type { Database, ReadOnlyDatabase, Tx, Value } from '../platform/database/database.ts'
import { advanceMarker, type Marker } from './marker.ts'
import { type MovedTable, placeOf, type Row, slicesOf } from './walk.ts'

export interface CopyOptions {
  source: ReadOnlyDatabase
  target: Database
  tables: readonly MovedTable[]
  /** Where to begin. */
  marker: Marker
  /** Called with how many rows are there. */
  onRows(rows: number): void
}

/** Copies what is not there yet. Each slice and the note of how far that is are one transaction. */
export async function copyRows({ source, target, tables, marker, onRows }: CopyOptions): Promise<void> {
  let standing = marker
  const first = Math.max(
    0,
    tables.findIndex(({ name }) => name === marker.table),
  )
  for (const table of tables.slice(first)) {
    const place = table.name === marker.table ? marker.place : undefined
    for await (const rows of slicesOf(source, table, place)) {
      const before = standing
      const after = noted(before, table, rows)
      await target.write(async (tx) => {
        await insertSlice(tx, table, rows)
        await advanceMarker(tx, before, after)
      })
      standing = after
      onRows(after.rows)
    }
  }
}

function noted(before: Marker, { name, key }: MovedTable, rows: readonly Row[]): Marker {
  const last = rows.at(-1)
  return { ...before, table: name, place: last && placeOf(last, key), rows: before.rows + rows.length }
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
