import {
  type CallbackDeparture,
  type DepartCallbacks,
  type DueCallback,
  departLater,
  type NewCallback,
} from '../../callbacks/index.ts'
import type { EpochMs, Ticket } from '../../domain/ids.ts'
import { canMove } from '../../domain/message.ts'
import { createRecipientRuns, type OpenMessage, openMessages, recipientKey } from '../../messages/index.ts'
import type { Database, Tx, WriteOptions } from '../../platform/database/database.ts'
import { insertRows } from '../../platform/database/rows.ts'
import type { Ending, First, Won } from './endings.ts'
import { writeEndsAtOnce } from './write-ends.postgres.ts'
import { writeEndsInSteps } from './write-ends.sqlite.ts'

export interface Finished {
  /** The endings that made their messages final. */
  settled: readonly Ending[]
  /** The wallets of their messages. */
  walletIds: ReadonlySet<string>
}

export interface FinishOptions extends Pick<WriteOptions, 'lockWaitMs'> {
  now: EpochMs
  newId(now: EpochMs): string
}

/**
 * Makes messages final, all or none. A message's first ending counts: the one that removes its job. Later receipts are
 * only recorded. An ending that a job decided counts while that job is held; one that a carrier answered, until the
 * message is handed over again.
 */
export function createFinish(
  database: Database,
  depart: DepartCallbacks = departLater,
): (endings: readonly Ending[], options: FinishOptions) => Promise<Finished> {
  const runFor = createRecipientRuns(database)
  return async function finish(endings, { now, newId, ...wait }) {
    const tickets = [...new Set(endings.map(({ ticket }) => ticket))]
    const run = await runFor(tickets.length)
    const find = (tx: Tx) => openMessages(tx, tickets)
    let departure: CallbackDeparture | undefined
    function sort(messages: ReadonlyMap<Ticket, OpenMessage>) {
      const sorted = firstEndings(endings, messages, { now, newId, run })
      departure = departFor(sorted.first, depart)
      return sorted
    }
    try {
      if (database.engine === 'sqlite') {
        const finishAll = async (tx: Tx) => {
          const { first, late } = sort(await find(tx))
          const won = await writeEndsInSteps(tx, first, now)
          await recordLate(tx, [...late, ...lost(first, won)], { now, newId })
          return won
        }
        const won = await database.write(finishAll, { patient: true })
        departure?.begin(won.flatMap(toPost))
        return finished(won)
      }
      const { first, late } = sort(await database.read(find))
      const finishFirst = (tx: Tx) => writeEndsAtOnce(tx, first, now)
      const won = first.length > 0 ? await database.write(finishFirst, { single: true, ...wait }) : []
      departure?.begin(won.flatMap(toPost))
      // They are on their way, and a late receipt that cannot be recorded must not stop them.
      departure = undefined
      const rest = [...late, ...lost(first, won)]
      if (rest.length > 0) await database.write((tx) => recordLate(tx, rest, { now, newId }))
      return finished(won)
    } catch (error) {
      departure?.giveBack()
      throw error
    }
  }
}

/** Reserves places for the callbacks of endings, and notes which have one. */
function departFor(first: readonly First[], depart: DepartCallbacks): CallbackDeparture {
  const departure = depart(first.flatMap(({ callback }) => callback ?? []))
  for (const one of first) one.callbackLeaseMs = one.callback && departure.leaseMs(one.callback)
  return departure
}

export interface FinishOneOptions extends FinishOptions {
  /** Decides in the same transaction whether the ending may count. It has to lock the message's job. */
  onlyIf(tx: Tx): Promise<boolean>
  /** Written in the same transaction when the ending counts. */
  record(tx: Tx): Promise<void>
}

/** Makes one message final, with the record of who decided it. Nothing is settled when the ending did not count. */
export function createFinishOne(
  database: Database,
): (ending: Ending, options: FinishOneOptions) => Promise<Finished> {
  const runFor = createRecipientRuns(database)
  const finishFirst = database.engine === 'sqlite' ? writeEndsInSteps : writeEndsAtOnce
  return async function finishOne(ending, { now, newId, onlyIf, record, ...wait }) {
    const run = await runFor(1)
    return database.write(async (tx) => {
      if (!(await onlyIf(tx))) return finished([])
      const messages = await openMessages(tx, [ending.ticket])
      const { first } = firstEndings([ending], messages, { now, newId, run })
      const won = await finishFirst(tx, first, now)
      if (won.length > 0) await record(tx)
      return finished(won)
    }, wait)
  }
}

/** Sorts endings into those that may make a message final and late receipts. Unknown tickets are neither. */
function firstEndings(
  endings: readonly Ending[],
  messages: ReadonlyMap<Ticket, OpenMessage>,
  { now, newId, run }: FinishOptions & { run: number },
) {
  const first = new Map<Ticket, First>()
  const late: Ending[] = []
  for (const ending of endings) {
    const message = messages.get(ending.ticket)
    if (!message) continue
    if (!first.has(message.id) && canMove(message.status, ending.status))
      first.set(message.id, {
        message,
        ending,
        recipientKey: recipientKey(run, message.walletId, message.recipient),
        callback: callbackOf(message, now, newId),
        callbackLeaseMs: undefined,
      })
    else if (isReceipt(ending)) late.push(ending)
  }
  return { first: [...first.values()], late }
}

/** Only late receipts are recorded. A late decision of a job or a late cancellation has no effect. */
function isReceipt({ epoch, status }: Ending): boolean {
  return epoch === undefined && status !== 'cancelled'
}

function callbackOf(
  { id, accountId, walletId, callbackUrl }: OpenMessage,
  now: EpochMs,
  newId: FinishOptions['newId'],
): NewCallback | undefined {
  if (callbackUrl === null) return undefined
  return {
    id: newId(now),
    accountId,
    walletId,
    messageId: id,
    url: callbackUrl,
    state: 'pending',
    createdAt: now,
  }
}

/** The callback of an ending that counted, with what it reports. */
function toPost({ callback, message, ending, cost, balanceBefore, balanceAfter }: Won): DueCallback[] {
  if (!callback) return []
  const { id, accountId, walletId, url, createdAt } = callback
  const { id: ticket, reference, recipient } = message
  const money = { cost, balanceBefore, balanceAfter }
  return [
    {
      id,
      ticket,
      accountId,
      walletId,
      url,
      createdAt,
      reference,
      recipient,
      status: ending.status,
      ...money,
    },
  ]
}

/** Receipts that lost to an ending committed in the meantime. */
function lost(first: readonly First[], won: readonly Won[]): Ending[] {
  if (won.length === first.length) return []
  const winners = new Set(won.map(({ ending }) => ending))
  return first.flatMap(({ ending }) => (!winners.has(ending) && isReceipt(ending) ? [ending] : []))
}

function recordLate(tx: Tx, late: readonly Ending[], { now, newId }: FinishOptions): Promise<void> {
  const rows = late.map(({ ticket, carrierRef, status }) => ({
    id: newId(now),
    messageId: ticket,
    carrierRef,
    status,
    receivedAt: now,
  }))
  return insertRows(tx, tx.t.lateReceipts, rows)
}

function finished(won: readonly Won[]): Finished {
  return {
    settled: won.map(({ ending }) => ending),
    walletIds: new Set(won.map(({ message }) => message.walletId)),
  }
}
