import {
  type CallbackDeparture,
  type DepartCallbacks,
  type DueCallback,
  departLater,
  type NewCallback,
} from '../../callbacks/index.ts'
import type { EpochMs, Ticket } from '../../kernel/ids.ts'
import { canMove } from '../../kernel/message.ts'
import {
  type Ending,
  type OpenMessage,
  openMessages,
  RecipientRuns,
  recipientKey,
} from '../../messages/index.ts'
import type { Database, Tx, WriteOptions } from '../../store/database.ts'
import { insertRows } from '../../store/rows.ts'
import type { EndedMessage } from './tally.ts'
import { type First, type Won, writeEndsAtOnce, writeEndsInSteps } from './write-ends.ts'

export interface Finished {
  /** The endings that made their messages final. */
  settled: readonly Ending[]
  /** The wallets of their messages. */
  walletIds: ReadonlySet<string>
  ended: readonly EndedMessage[]
}

interface Moment extends Pick<WriteOptions, 'lockWaitMs'> {
  now: EpochMs
  newId(now: EpochMs): string
}

/**
 * Makes messages final. A message's first ending counts: the one that removes its job. Later receipts are only recorded.
 * An ending that a job decided counts while that job is held; one that a carrier answered, until the message is handed
 * over again.
 */
export class Finish {
  readonly #database: Database
  readonly #depart: DepartCallbacks
  readonly #runs: RecipientRuns

  /** `depart` chooses which callbacks are posted from here at once. Without it, another process posts them. */
  constructor(database: Database, depart: DepartCallbacks = departLater) {
    this.#database = database
    this.#depart = depart
    this.#runs = new RecipientRuns(database)
  }

  /** Makes messages final, all or none. */
  async all(endings: readonly Ending[], { now, newId, ...wait }: Moment): Promise<Finished> {
    const tickets = [...new Set(endings.map(({ ticket }) => ticket))]
    const run = await this.#runs.next(tickets.length)
    const find = (tx: Tx) => openMessages(tx, tickets)
    let departure: CallbackDeparture | undefined
    const sort = (messages: ReadonlyMap<Ticket, OpenMessage>) => {
      const sorted = firstEndings(endings, messages, { now, newId, run })
      departure = departFor(sorted.first, this.#depart)
      return sorted
    }
    try {
      if (this.#database.engine === 'sqlite') {
        const finishAll = async (tx: Tx) => {
          const { first, late } = sort(await find(tx))
          const won = await writeEndsInSteps(tx, first, now)
          await recordLate(tx, [...late, ...lost(first, won)], { now, newId })
          return won
        }
        const won = await this.#database.write(finishAll, { patient: true })
        departure?.begin(won.flatMap(toPost))
        return finished(won)
      }
      const { first, late } = sort(await this.#database.read(find))
      const finishFirst = (tx: Tx) => writeEndsAtOnce(tx, first, now)
      const won = first.length > 0 ? await this.#database.write(finishFirst, { single: true, ...wait }) : []
      departure?.begin(won.flatMap(toPost))
      // They are on their way, and a late receipt that cannot be recorded must not stop them.
      departure = undefined
      const rest = [...late, ...lost(first, won)]
      if (rest.length > 0) await this.#database.write((tx) => recordLate(tx, rest, { now, newId }))
      return finished(won)
    } catch (error) {
      departure?.giveBack()
      throw error
    }
  }

  /** Makes one message final, with the record of who decided it. Nothing is settled when the ending did not count. */
  async one(
    ending: Ending,
    {
      now,
      newId,
      onlyIf,
      record,
      ...wait
    }: Moment & {
      /** Decides in the same transaction whether the ending may count. It has to lock the message's job. */
      onlyIf(tx: Tx): Promise<boolean>
      /** Written in the same transaction when the ending counts. */
      record(tx: Tx): Promise<void>
    },
  ): Promise<Finished> {
    const run = await this.#runs.next(1)
    const finishFirst = this.#database.engine === 'sqlite' ? writeEndsInSteps : writeEndsAtOnce
    return this.#database.write(async (tx) => {
      if (!(await onlyIf(tx))) return finished([])
      const messages = await openMessages(tx, [ending.ticket])
      const { first } = firstEndings([ending], messages, { now, newId, run })
      const won = await finishFirst(tx, first, now)
      if (won.length > 0) await record(tx)
      return finished(won)
    }, wait)
  }
}

/** Reserves places for the callbacks of endings, and notes which have one. */
function departFor(first: readonly First[], depart: DepartCallbacks): CallbackDeparture {
  const departure = depart(first.flatMap(({ callback }) => callback ?? []))
  for (const one of first) one.callbackLeaseMs = one.callback && departure.leaseMs(one.callback)
  return departure
}

/** Sorts endings into those that may make a message final and late receipts. Unknown tickets are neither. */
function firstEndings(
  endings: readonly Ending[],
  messages: ReadonlyMap<Ticket, OpenMessage>,
  { now, newId, run }: Moment & { run: number },
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
  newId: Moment['newId'],
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

function recordLate(tx: Tx, late: readonly Ending[], { now, newId }: Moment): Promise<void> {
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
    ended: won.map(({ carrier, submittedAt, ending: { status }, message: { country, network } }) => ({
      carrier,
      country,
      network,
      status,
      submittedAt,
    })),
  }
}
