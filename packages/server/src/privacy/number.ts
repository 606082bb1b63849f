import { createHmac } from 'node:crypto'
import { createOperatorAudit, type OperatorAuditOptions } from '../audit/index.ts'
import { forgetCallbacksAbout } from '../callbacks/index.ts'
import { createCancelScheduled } from '../delivery/index.ts'
import type { EpochMs, Ticket } from '../domain/ids.ts'
import { type Phone, phoneOf } from '../domain/phone/phone.ts'
import { blankMessages } from '../messages/index.ts'
import type { Changes } from '../platform/changes.ts'
import type { Clock } from '../platform/clock.ts'
import type { Database, Value } from '../platform/database/database.ts'
import { finishStep, SLICE } from '../platform/database/slices.ts'
import { overwriteDeleted } from '../platform/database/wipe.ts'
import type { Boxes } from '../platform/secrets/box.ts'
import { bindMark } from '../platform/secrets/mark.ts'
import { createKeyFor, type KeyFor } from '../platform/secrets/sealing.ts'
import { ERASED, findNumber, replaceNumber, type Searched, searchedTables } from './scrub.ts'

export interface EraseParts extends OperatorAuditOptions {
  database: Database
  clock: Clock
  changes: Pick<Changes, 'note'>
  boxes(): Boxes
  newId(now: EpochMs): Ticket
}

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
 * times; its number, text and reference go, and the callbacks about it. Elsewhere only the number itself is replaced. Each slice is a transaction, so that one that is cut off can be repeated.
 */
export function createEraseNumber(parts: EraseParts): (number: string) => Promise<ErasedNumber> {
  const { database, clock } = parts
  const audit = createOperatorAudit(parts)
  const cancel = createCancelScheduled(parts)

  return async function eraseNumber(number) {
    // Fails before anything is erased if this process has the wrong secret.
    const mark = await database.write((tx) => bindMark(tx, parts.boxes()))
    const phone = phoneOf(number)
    const named = digestOf(phone, createKeyFor(mark))
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
      for (const ticket of to) if (await cancel(ticket)) cancelled++
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
}

type Row = Record<string, Value>

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
