import { createHmac } from 'node:crypto'
import { getTableColumns, getTableName, type Table } from 'drizzle-orm'
import { forgetCallbacksAbout } from '../../callbacks/index.ts'
import { Cancellations } from '../../delivery/index.ts'
import type { Changes } from '../../flow/changes.ts'
import type { Parts } from '../../flow/parts.ts'
import type { Ticket } from '../../kernel/ids.ts'
import { lastDigitsOf, type Phone, phoneOf } from '../../kernel/phone/phone.ts'
import { blankMessages } from '../../messages/index.ts'
import { createOperatorAudit, type OperatorAuditOptions } from '../../store/audit/index.ts'
import type { Database, Tx, Value } from '../../store/database.ts'
import { columnName } from '../../store/rows.ts'
import { tables } from '../../store/schema/schema.ts'
import { type Boxes, bindMark, type KeyFor, keyOf } from '../../store/secrets/sealing.ts'
import { finishStep, SLICE, type Step } from '../../store/slices.ts'
import { overwriteDeleted } from '../../store/wipe.ts'
import { CLASSES, type TableClass } from './columns.ts'

/** An erasure is done with these. */
export type Erasing = OperatorAuditOptions &
  Pick<Parts, 'database' | 'clock' | 'newId'> & { changes: Pick<Changes, 'note'> }

export interface ErasedNumber {
  /** How many rows of each table were changed or deleted; tables without one are left out. */
  removed: Record<string, number>
  /** Scheduled messages to the number, which were cancelled. */
  cancelled: number
  /** Messages to the number that are under way. They keep it until they are final. */
  underWay: number
}

/**
 * Removes a phone's number from every table, however it is written. A message to it keeps its ticket, its money and its
 * times; its number, text and reference go, and the callbacks about it. Elsewhere only the number itself is replaced.
 * Each slice is a transaction, so that one that is cut off can be repeated.
 */
export async function eraseNumber(
  parts: Erasing & { boxes(): Boxes },
  number: string,
): Promise<ErasedNumber> {
  const { database, clock } = parts
  const audit = createOperatorAudit(parts)
  const cancellations = new Cancellations(parts)
  // Fails before anything is erased if this process has the wrong secret.
  const mark = await database.write((tx) => bindMark(tx, parts.boxes()))
  const phone = phoneOf(number)
  const named = digestOf(phone, (purpose) => keyOf(mark, purpose))
  const removed: Record<string, number> = {}
  const count = (table: string, rows: number) => {
    if (rows > 0) removed[table] = (removed[table] ?? 0) + rows
  }
  await overwriteDeleted(database)
  let cancelled = 0
  let underWay = 0

  async function eraseMessages(rows: readonly Row[]): Promise<void> {
    const to = rows
      .filter(({ recipient }) => phoneOf(String(recipient)) === phone)
      .map(({ id }) => id as Ticket)
    for (const ticket of to) if (await cancellations.cancel(ticket)) cancelled++
    const ids = rows.map(({ id }) => id as Ticket)
    await inSlices(ids, async (slice) => {
      await database.write(
        async (tx) => {
          const { blanked, open } = await blankMessages(tx, slice, { phone, mark: ERASED })
          underWay += open.length
          count('messages', blanked.length)
          count('callbacks', await forgetCallbacksAbout(tx, blanked))
          const gone = new Set<string>([...blanked, ...open])
          const others = rows.filter(({ id }) => slice.includes(id as Ticket) && !gone.has(String(id)))
          count('messages', await replaceNumber(tx, MESSAGES, phone, others))
        },
        { patient: true },
      )
    })
  }

  for (const table of searchedTables()) {
    const isMessages = table.name === MESSAGES.name
    const handle = isMessages
      ? eraseMessages
      : (rows: readonly Row[]) =>
          inSlices(rows, async (slice) => {
            const changed = await database.write((tx) => replaceNumber(tx, table, phone, slice), {
              patient: true,
            })
            count(table.name, changed)
          })
    await finishStep(findNumber(database, table, phone, handle), clock)
  }
  const detail = { number: named, cancelled, underWay, removed }
  await database.write((tx) => audit(tx, { action: 'number.erase', detail }))
  return { removed, cancelled, underWay }
}

type Row = Record<string, Value>

/** Replaces a number or a text. */
const ERASED = 'erased'

/** Rows looked at in one statement. Only those that hold the number leave the database. */
const LOOKED_AT = 20_000

/** A table with the columns in which a recipient's number may stand. */
interface Searched {
  name: string
  key: readonly string[]
  columns: readonly string[]
}

const MESSAGES = messagesTable()

function messagesTable(): Searched {
  const found = searchedTables().find(({ name }) => name === 'messages')
  if (!found) throw new Error('the table of messages is searched for numbers')
  return found
}

async function inSlices<T>(rows: readonly T[], work: (slice: readonly T[]) => Promise<void>): Promise<void> {
  const size = SLICE / 10
  for (let from = 0; from < rows.length; from += size) await work(rows.slice(from, from + size))
}

/** Tells one erased number from another in the audit log. It can't be computed without the installation's secret. */
function digestOf(phone: Phone, keyFor: KeyFor): string {
  return createHmac('sha256', keyFor('erased-numbers')).update(phone).digest('hex').slice(0, 16)
}

/** Every table that may hold a recipient's number. Of messages, the rows to that phone need more than this. */
function searchedTables(): Searched[] {
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
function findNumber(
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
async function replaceNumber(
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
