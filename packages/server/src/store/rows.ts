import { getTableColumns, getTableName, type Table } from 'drizzle-orm'
import type { Connection, Value } from './database.ts'

/** Many rows go in statements of these sizes, so that only a few texts are ever prepared. */
const SIZES = [64, 8, 1]

interface Columns {
  keys: string[]
  head: string
}
const known = new WeakMap<Table, Columns>()

/** Inserts rows in multi-row statements. `tail` is what follows the rows, such as an ON CONFLICT clause. */
export async function insertRows<T extends Table>(
  connection: Connection,
  table: T,
  rows: readonly T['$inferSelect'][],
  tail = '',
): Promise<void> {
  const { keys, head } = columnsOf(table)
  await inChunks(rows, async (chunk) => {
    const values: Value[] = []
    for (const row of chunk) for (const key of keys) values.push(fieldOf(row, key))
    const text = `${head} VALUES ${placeholders(chunk.length, keys.length)} ${tail}`
    await connection.run(text, values)
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

function columnsOf(table: Table): Columns {
  const made = known.get(table)
  if (made) return made
  const keys = Object.keys(getTableColumns(table))
  const names = keys.map((key) => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`))
  const columns = { keys, head: `INSERT INTO ${getTableName(table)} (${names.join(', ')})` }
  known.set(table, columns)
  return columns
}

function fieldOf(row: object, key: string): Value {
  return Reflect.get(row, key) as Value
}
