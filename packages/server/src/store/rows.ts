import { getTableColumns, getTableName, type Table } from 'drizzle-orm'
import type { Tx, Value } from './database.ts'

/** Rows per statement. Fixed sizes keep the number of prepared statements small. */
const SIZES = [64, 8, 1]

/** The columns of a statement in order, and its text for a number of rows. */
interface Statement {
  keys: readonly string[]
  text(rows: number): string
}
/** Cached by an object that is the same at every call: a table, or a constant list of columns. */
const inserts = new WeakMap<object, Statement>()
const updates = new WeakMap<object, Statement>()

/** Inserts rows in multi-row statements: all columns, or only `some`, leaving the others at their defaults. */
export async function insertRows<T extends Table, K extends string & keyof T['$inferSelect']>(
  tx: Tx,
  table: T,
  rows: readonly Pick<T['$inferSelect'], K>[],
  some?: readonly K[],
): Promise<void> {
  await runFor(tx, insertOf(table, some), rows)
}

/** The columns that an update matches and sets, and its condition. Must be a constant: statements are cached by it. */
export interface Update<By, Set, Either = never> {
  by: readonly By[]
  /** One of these has to match too. A row that gives none, null, is not found by it. */
  either?: readonly Either[]
  set: readonly Set[]
  /** Further assignments, in SQL. */
  also?: string
  /** A condition in SQL. */
  when?: string
}

/** Updates rows in multi-row statements, matching all columns of `by`. A row without a match is ignored. */
export async function updateRows<
  T extends Table,
  By extends string & keyof T['$inferSelect'],
  Set extends string & keyof T['$inferSelect'],
  Either extends string & keyof T['$inferSelect'] = never,
>(
  tx: Tx,
  table: T,
  rows: readonly (Pick<T['$inferSelect'], By | Set> & OrNull<Pick<T['$inferSelect'], Either>>)[],
  update: Update<By, Set, Either>,
): Promise<void> {
  await runFor(tx, updateOf(table, update), rows)
}

type OrNull<T> = { [K in keyof T]: T[K] | null }

async function runFor({ run }: Tx, { keys, text }: Statement, rows: readonly object[]): Promise<void> {
  await inChunks(rows, async (chunk) => {
    const values: Value[] = []
    for (const row of chunk) for (const key of keys) values.push(fieldOf(row, key))
    await run(text(chunk.length), values)
  })
}

/** Calls `work` with statement-sized chunks of the rows, in order. */
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

/** Caches a statement's text by its number of rows: looking up a new long string would hash it again. */
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
 * `($1, $2), ($3, $4)`. With `types`, the first row is cast, which tells PostgreSQL the types. Numbering starts after
 * the `taken` placeholders.
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

function insertOf(table: Table, some?: readonly string[]): Statement {
  const made = inserts.get(some ?? table)
  if (made) return made
  const keys = [...(some ?? Object.keys(getTableColumns(table)))]
  const head = `INSERT INTO ${getTableName(table)} (${keys.map(columnName).join(', ')})`
  const statement = { keys, text: bySize((rows) => `${head} VALUES ${placeholders(rows, keys.length)}`) }
  inserts.set(some ?? table, statement)
  return statement
}

function updateOf(table: Table, update: Update<string, string, string>): Statement {
  const made = updates.get(update)
  if (made) return made
  const { by, either = [], set } = update
  const keys = [...by, ...either, ...set]
  const types = typesOf(table, keys)
  const name = getTableName(table)
  const given = (key: string) => `v.column${keys.indexOf(key) + 1}`
  const matches = (key: string) => `${name}.${columnName(key)} = ${given(key)}`
  const sets = set.map((key) => `${columnName(key)} = ${given(key)}`)
  if (update.also) sets.push(update.also)
  const where = by.map(matches)
  if (either.length > 0) where.push(`(${either.map(matches).join(' OR ')})`)
  if (update.when) where.push(update.when)
  const head = `UPDATE ${name} SET ${sets.join(', ')} FROM`
  const values = (rows: number) => placeholders(rows, keys.length, types)
  const text = bySize((rows) => `${head} (VALUES ${values(rows)}) AS v WHERE ${where.join(' AND ')}`)
  const statement = { keys, text }
  updates.set(update, statement)
  return statement
}

/** The types of columns in SQL. */
export function typesOf(table: Table, keys: readonly string[]): ('TEXT' | 'BIGINT')[] {
  const columns = getTableColumns(table)
  return keys.map((key) => (columns[key]?.getSQLType() === 'text' ? 'TEXT' : 'BIGINT'))
}

/** The name of a column in SQL. */
export function columnName(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

function fieldOf(row: object, key: string): Value {
  return Reflect.get(row, key) as Value
}
