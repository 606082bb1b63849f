import { getTableColumns, getTableName, type Table } from 'drizzle-orm'
import type { Connection, Value } from './database.ts'

/** Many rows go in statements of these sizes, so that only a few texts are ever prepared. */
const SIZES = [64, 8, 1]

interface Columns {
  keys: string[]
  insert(rows: number): string
}
const known = new WeakMap<object, Columns>()

/** Inserts rows in multi-row statements: all columns, or `some`, the others having their defaults. */
export async function insertRows<T extends Table, K extends string & keyof T['$inferSelect']>(
  connection: Connection,
  table: T,
  rows: readonly Pick<T['$inferSelect'], K>[],
  some?: readonly K[],
): Promise<void> {
  const { keys, insert } = columnsOf(table, some)
  await inChunks(rows, async (chunk) => {
    const values: Value[] = []
    for (const row of chunk) for (const key of keys) values.push(fieldOf(row, key))
    await connection.run(insert(chunk.length), values)
  })
}

/** Calls `work` with rows in statement-sized pieces, in order. */
export async function inChunks<T>(
  rows: readonly T[],
  work: (chunk: readonly T[]) => Promise<void>,
): Promise<void> {
  let from = 0
  for (const size of SIZES) {
    while (rows.length - from >= size) {
      await work(from === 0 && rows.length === size ? rows : rows.slice(from, from + size))
      from += size
    }
  }
}

/** A statement's text by its number of rows, made once: a long text made anew is hashed anew to find its statement. */
export function bySize(make: (rows: number) => string): (rows: number) => string {
  const made = new Map<number, string>()
  return (rows) => {
    const text = made.get(rows) ?? make(rows)
    made.set(rows, text)
    return text
  }
}

const texts = new Map<string, string>()

/**
 * `($1, $2), ($3, $4)`; with `types`, the first row is cast, which is how PostgreSQL learns them. Behind `taken`
 * other places, counting goes on from there.
 */
export function placeholders(
  rows: number,
  columns: number,
  types?: readonly ('TEXT' | 'BIGINT')[],
  taken = 0,
): string {
  const id = `${rows}x${columns}+${taken}${types?.join() ?? ''}`
  const made = texts.get(id)
  if (made) return made
  const text = Array.from({ length: rows }, (_, row) => {
    const places = Array.from({ length: columns }, (_, column) => {
      const place = `$${taken + row * columns + column + 1}`
      return types && row === 0 ? `CAST(${place} AS ${types[column]})` : place
    })
    return `(${places.join(', ')})`
  }).join(', ')
  texts.set(id, text)
  return text
}

function columnsOf(table: Table, some?: readonly string[]): Columns {
  const made = known.get(some ?? table)
  if (made) return made
  const keys = [...(some ?? Object.keys(getTableColumns(table)))]
  const names = keys.map((key) => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`))
  const head = `INSERT INTO ${getTableName(table)} (${names.join(', ')})`
  const columns = { keys, insert: bySize((rows) => `${head} VALUES ${placeholders(rows, keys.length)}`) }
  known.set(some ?? table, columns)
  return columns
}

function fieldOf(row: object, key: string): Value {
  return Reflect.get(row, key) as Value
}
