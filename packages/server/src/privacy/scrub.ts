import { getTableColumns, getTableName, type Table } from 'drizzle-orm'
import { lastDigitsOf, type Phone, phoneOf } from '../domain/phone/phone.ts'
import type { Database, Tx, Value } from '../platform/database/database.ts'
import { columnName } from '../platform/database/rows.ts'
import { tables } from '../platform/database/schema.ts'
import type { Step } from '../platform/database/slices.ts'
import { CLASSES, type TableClass } from './columns.ts'

/** Replaces a number or a text. */
export const ERASED = 'erased'

/** Rows looked at in one statement. Only those that hold the number leave the database. */
const LOOKED_AT = 20_000

type Row = Record<string, Value>

/** A table with the columns in which a recipient's number may stand. */
export interface Searched {
  name: string
  key: readonly string[]
  columns: readonly string[]
}

/** Every table that may hold a recipient's number. Of messages, the rows to that phone need more than this. */
export function searchedTables(): Searched[] {
  return Object.entries(CLASSES).flatMap(([name, { key, columns }]: [string, TableClass]) => {
    const table: Table = Reflect.get(tables, name)
    const texts = Object.entries(getTableColumns(table)).flatMap(([column, { dataType }]) =>
      columns[column] === 'person' && dataType === 'string' ? [columnName(column)] : [],
    )
    if (texts.length === 0) return []
    return [{ name: getTableName(table), key: key.map(columnName), columns: texts }]
  })
}

/** Numbers in a text, also with a plus or zeros before them, and not as a part of a longer one. */
const NUMBERS = /(?<![0-9])(?:\+|00)?([1-9][0-9]{6,14})(?![0-9])/g

/**
 * Goes through a table in the order of its key, and hands on the rows in which some column holds a phone's number. A
 * step looks at so many rows, so that no statement lasts long in a large table.
 */
export function findNumber(
  database: Database,
  { name, key, columns }: Searched,
  phone: Phone,
  handle: (rows: readonly Row[]) => Promise<void>,
): Step {
  let after: Value[] | undefined
  const keys = key.join(', ')
  const compare = (sign: string, from: number) =>
    `(${keys}) ${sign} (${key.map((_, index) => `$${from + index}`).join(', ')})`

  return async function step() {
    const { end, rows } = await database.read(async ({ run }) => {
      const past = after ?? []
      const beyond = after ? `WHERE ${compare('>', 1)}` : ''
      const [end] = await run<Row>(
        `SELECT ${keys} FROM ${name} ${beyond} ORDER BY ${keys} LIMIT 1 OFFSET ${LOOKED_AT - 1}`,
        past,
      )
      const last = end && valuesOf(end, key)
      const bounds = [...(after ? [compare('>', 1)] : []), ...(last ? [compare('<=', 1 + past.length)] : [])]
      const from = 1 + past.length + (last?.length ?? 0)
      const like = columns.map((column, index) => `${column} LIKE $${from + index}`).join(' OR ')
      const rows = await run<Row>(
        `SELECT ${[...key, ...columns].join(', ')} FROM ${name} WHERE ${[...bounds, `(${like})`].join(' AND ')}`,
        [...past, ...(last ?? []), ...columns.map(() => `%${lastDigitsOf(phone)}%`)],
      )
      return { end: last, rows: rows.filter((row) => columns.some((column) => has(row[column], phone))) }
    })
    if (rows.length > 0) await handle(rows)
    after = end
    return end !== undefined
  }
}

/**
 * Replaces a phone's number in the columns of some rows, as they are by now. Returns how many rows were changed.
 */
export async function replaceNumber(
  { run, locks }: Tx,
  { name, key, columns }: Searched,
  phone: Phone,
  rows: readonly Row[],
): Promise<number> {
  const where = (from: number) => key.map((column, index) => `${column} = $${from + index}`).join(' AND ')
  let changed = 0
  for (const seen of rows) {
    const [row] = await run<Row>(
      `SELECT ${columns.join(', ')} FROM ${name} WHERE ${where(1)} ${locks.forUpdate}`,
      valuesOf(seen, key),
    )
    const found = columns.filter((column) => has(row?.[column], phone))
    if (!row || found.length === 0) continue
    const set = found.map((column, index) => `${column} = $${index + 1}`).join(', ')
    await run(`UPDATE ${name} SET ${set} WHERE ${where(found.length + 1)}`, [
      ...found.map((column) => without(row[column], phone)),
      ...valuesOf(seen, key),
    ])
    changed++
  }
  return changed
}

function has(value: Value | undefined, phone: Phone): boolean {
  return typeof value === 'string' && without(value, phone) !== value
}

function without(value: Value | undefined, phone: Phone): Value {
  if (typeof value !== 'string') return value ?? null
  return value.replace(NUMBERS, (written, digits: string) => (phoneOf(digits) === phone ? ERASED : written))
}

function valuesOf(row: Row, columns: readonly string[]): Value[] {
  return columns.map((column) => row[column] ?? null)
}
