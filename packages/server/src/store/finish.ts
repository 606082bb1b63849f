import type { EpochMs, Ticket } from '../domain/ids.ts'
import { canMove } from '../domain/message.ts'
import type { CallbackRow } from './callbacks.ts'
import type { Connection, Database, WriteOptions } from './database.ts'
import type { Ending, First } from './endings.ts'
import { finishAtOnce } from './finish-at-once.ts'
import { finishInSteps } from './finish-in-steps.ts'
import { type UnsettledMessage, unsettledMessages } from './messages.ts'
import { createRecipientRuns, recipientKey } from './recipient-runs.ts'
import { insertRows } from './rows.ts'

export interface Finished {
  /** The endings that made their messages final. */
  settled: readonly Ending[]
  /** How many callbacks are to be posted. */
  callbacks: number
}

export interface FinishOptions extends Pick<WriteOptions, 'lockWaitMs'> {
  now: EpochMs
  newId(now: EpochMs): string
}

/**
 * Makes messages final, all of them or none. Of the endings of a message the first counts, which is the one that
 * removes its job: receipts that come later are recorded, and what a job decided counts only while that job is held.
 */
export function createFinish(
  database: Database,
): (endings: readonly Ending[], options: FinishOptions) => Promise<Finished> {
  const runFor = createRecipientRuns(database)
  return async function finish(endings, { now, newId, ...wait }) {
    const tickets = [...new Set(endings.map(({ ticket }) => ticket))]
    const run = await runFor(tickets.length)
    const find = (connection: Connection) => unsettledMessages(connection, tickets)
    const sort = (messages: ReadonlyMap<Ticket, UnsettledMessage>) =>
      firstEndings(endings, messages, { now, newId, run })
    if (database.engine === 'sqlite') {
      const finishAll = async (connection: Connection) => {
        const { first, late } = sort(await find(connection))
        const won = await finishInSteps(connection, first, now)
        await recordLate(connection, [...late, ...lost(first, won)], { now, newId })
        return finished(won)
      }
      return database.write(finishAll, { patient: true })
    }
    const { first, late } = sort(await database.read(find))
    const finishFirst = (connection: Connection) => finishAtOnce(connection, first, now)
    const won = first.length > 0 ? await database.write(finishFirst, { single: true, ...wait }) : first
    const rest = [...late, ...lost(first, won)]
    if (rest.length > 0) await database.write((connection) => recordLate(connection, rest, { now, newId }))
    return finished(won)
  }
}

/** Sorts endings into those that may make a message final and receipts that come too late. Unknown tickets are neither. */
function firstEndings(
  endings: readonly Ending[],
  messages: ReadonlyMap<Ticket, UnsettledMessage>,
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
      })
    else if (isReceipt(ending)) late.push(ending)
  }
  return { first: [...first.values()], late }
}

/** A job's decision or a cancellation that comes too late is nothing to record: its maker looks again. */
function isReceipt({ epoch, status }: Ending): boolean {
  return epoch === undefined && status !== 'cancelled'
}

function callbackOf(
  { id, accountId, walletId, callbackUrl }: UnsettledMessage,
  now: EpochMs,
  newId: FinishOptions['newId'],
): CallbackRow | undefined {
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

/** Receipts that lost to an ending which was committed while they were on their way. */
function lost(first: readonly First[], won: readonly First[]): Ending[] {
  if (won.length === first.length) return []
  const winners = new Set(won)
  return first.flatMap((one) => (!winners.has(one) && isReceipt(one.ending) ? [one.ending] : []))
}

function recordLate(
  connection: Connection,
  late: readonly Ending[],
  { now, newId }: FinishOptions,
): Promise<void> {
  const rows = late.map(({ ticket, carrierRef, status }) => ({
    id: newId(now),
    messageId: ticket,
    carrierRef,
    status,
    receivedAt: now,
  }))
  return insertRows(connection, connection.t.lateReceipts, rows)
}

function finished(won: readonly First[]): Finished {
  return {
    settled: won.map(({ ending }) => ending),
    callbacks: won.filter(({ callback }) => callback !== undefined).length,
  }
}
