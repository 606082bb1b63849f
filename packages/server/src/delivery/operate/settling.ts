import type { Changes } from '../../flow/changes.ts'
import type { Parts } from '../../flow/parts.ts'
import type { EpochMs, Ticket } from '../../kernel/ids.ts'
import { FAILURES } from '../../kernel/message.ts'
import { dialled } from '../../kernel/phone/phone.ts'
import type { Ending } from '../../messages/index.ts'
import { createOperatorAudit, type OperatorAuditOptions } from '../../store/audit/index.ts'
import type { Tx } from '../../store/database.ts'
import { type EarlyReceipt, earlyReceiptsOf, forgetEarly } from '../finish/early-receipts.ts'
import { Finish } from '../finish/finish.ts'
import {
  decisionsOf,
  type ListedDecisions,
  type ListedMessage,
  type NamedMessages,
  namedMessages,
} from './carrier-list.ts'
import {
  lockUncertain,
  type SettledAs,
  type Standing,
  standingOf,
  sumUncertain,
  type UncertainMessage,
  type UncertainSum,
  uncertainAmong,
  uncertainMessages,
  type WhichUncertain,
} from './uncertain.ts'

export interface Decision {
  ticket: Ticket
  status: SettledAs
  carrierRef?: string
}

export interface Decided {
  /** False when the message was not uncertain: then nothing has changed. */
  settled: boolean
  /** The message as it is now; undefined when there is none. */
  message: Standing | undefined
}

export interface SettledMany {
  settled: number
  /** Messages that were not uncertain any more, and stayed unchanged. */
  left: number
}

/** Messages that are read at a time. */
const SLICE = 500

/** The shared parts that an operator's decisions need, and who decides. */
export type Deciding = Pick<Parts, 'database' | 'clock' | 'newId'> &
  OperatorAuditOptions & { changes: Pick<Changes, 'note'> }

/** Uncertain messages, for operators to see and decide about. Each decision leaves an audit row. */
export class Settling {
  readonly #parts: Deciding
  readonly #audit: ReturnType<typeof createOperatorAudit>
  readonly #finish: Finish

  constructor(parts: Deciding) {
    this.#parts = parts
    this.#audit = createOperatorAudit(parts)
    this.#finish = new Finish(parts.database)
  }

  /** The oldest messages whose carrier never said whether it took them, and how many there are. */
  uncertain(
    limit: number,
    which: WhichUncertain & { after?: string | undefined } = {},
  ): Promise<{ total: number; messages: UncertainMessage[] }> {
    return this.#read(async (tx, now) => {
      const sums = await sumUncertain(tx, now, which)
      const messages = await uncertainMessages(tx, now, limit, which)
      return { total: sums.reduce((total, sum) => total + sum.messages, 0), messages }
    })
  }

  /** How many those are, and what is held for them. */
  uncertainSums(which: WhichUncertain): Promise<UncertainSum[]> {
    return this.#read((tx, now) => sumUncertain(tx, now, which))
  }

  /** The uncertain messages that a carrier's list names, by our tickets or by its own references. */
  uncertainNamed(names: readonly string[], carrier: string | undefined): Promise<NamedMessages> {
    return this.#read((tx, now) => namedMessages(tx, names, carrier, now))
  }

  /** Reads which messages a carrier's list decides about. */
  listed(list: readonly ListedMessage[], carrier: string | undefined): Promise<ListedDecisions> {
    return this.#read((tx, now) => decisionsOf(tx, list, carrier, now))
  }

  /** The receipts without a message that may belong to these: of the same carrier and number, and after the hand-over. */
  receiptsFor(messages: readonly UncertainMessage[]): Promise<Map<Ticket, EarlyReceipt[]>> {
    return this.#read((tx) => receiptsOf(tx, messages))
  }

  /** Decides how such a message ended. `carrierRef` is what its carrier calls it, if that is known. */
  async settle(ticket: string, status: SettledAs, carrierRef = ''): Promise<Decided> {
    const ending = { status, carrierRef, ...(status === 'failed' && { reason: FAILURES.decided }) }
    return this.#end(ticket, ending)
  }

  /** Decides that such a message ended as a receipt says that may belong to it. */
  async settleBy(ticket: string, ref: string): Promise<Decided> {
    const { database, clock } = this.#parts
    const now = clock.now()
    const receipt = await database.read(async (tx) => {
      const [message] = await uncertainAmong(tx, now, [ticket])
      const receipts = message && (await receiptsOf(tx, [message])).get(message.ticket)
      return receipts?.find((one) => one.ref === ref)
    })
    if (!receipt) return { settled: false, message: await database.read((tx) => standingOf(tx, ticket, now)) }
    const { verdict, reason } = receipt
    const ending = { status: verdict, carrierRef: ref, ...(reason !== null && { reason }) }
    return this.#end(ticket, ending)
  }

  /** Decides about messages one by one. Interruptible: settled ones stay settled; call again to continue. */
  async settleEach(decisions: readonly Decision[], onDone = () => {}): Promise<SettledMany> {
    const done = { settled: 0, left: 0 }
    for (const { ticket, status, carrierRef } of decisions) {
      const { settled } = await this.settle(ticket, status, carrierRef)
      done[settled ? 'settled' : 'left']++
      onDone()
    }
    return done
  }

  /** Decides about all uncertain messages that match, in the same way. */
  async settleAll(which: WhichUncertain, status: SettledAs, onDone?: () => void): Promise<SettledMany> {
    const total = { settled: 0, left: 0 }
    let after: string | undefined = ''
    while (after !== undefined) {
      const slice: UncertainMessage[] = await this.#sliceAfter(after, which)
      const decisions = slice.map(({ ticket }) => ({ ticket, status }))
      const { settled, left } = await this.settleEach(decisions, onDone)
      total.settled += settled
      total.left += left
      after = slice.length === SLICE ? slice.at(-1)?.ticket : undefined
    }
    return total
  }

  #read<T>(work: (tx: Tx, now: EpochMs) => Promise<T>): Promise<T> {
    const { database, clock } = this.#parts
    return database.read((tx) => work(tx, clock.now()))
  }

  #sliceAfter(after: string, which: WhichUncertain): Promise<UncertainMessage[]> {
    return this.#read((tx, now) => uncertainMessages(tx, now, SLICE, { ...which, after }))
  }

  /** Ends a message if it is uncertain, with an audit row in the same transaction. */
  async #end(ticket: string, ending: Omit<Ending, 'ticket' | 'submittedAt'>): Promise<Decided> {
    const { database, clock, changes, newId } = this.#parts
    const now = clock.now()
    const before = await database.read((tx) => standingOf(tx, ticket, now))
    if (!before) return { settled: false, message: undefined }
    const { accountId, carrier, handedAt } = before
    const { status, carrierRef } = ending
    const detail = { ticket, carrier, status, ...(carrierRef !== '' && { carrierReference: carrierRef }) }
    const { settled, walletIds } = await this.#finish.one(
      { ...ending, ticket: ticket as Ticket, submittedAt: handedAt },
      {
        now,
        newId,
        onlyIf: (tx) => lockUncertain(tx, ticket, now),
        record: async (tx) => {
          await this.#audit(tx, { accountId, detail, action: 'message.settle' })
          await forgetEarly(tx, [{ carrier, ref: carrierRef }])
        },
      },
    )
    for (const id of walletIds) changes.note(id)
    return {
      settled: settled.length > 0,
      message: await database.read((tx) => standingOf(tx, ticket, now)),
    }
  }
}

/** Cancels scheduled messages, for an operator. */
export class Cancellations {
  readonly #parts: Omit<Deciding, 'acting'>
  readonly #finish: Finish

  constructor(parts: Omit<Deciding, 'acting'>) {
    this.#parts = parts
    this.#finish = new Finish(parts.database)
  }

  /** Cancels a message that is scheduled and releases its hold. False when its time has come. */
  async cancel(ticket: Ticket): Promise<boolean> {
    const { clock, changes, newId } = this.#parts
    const ending = { ticket, status: 'cancelled', carrierRef: '', submittedAt: 0 } as const
    const { settled, walletIds } = await this.#finish.one(ending, {
      now: clock.now(),
      newId,
      async onlyIf({ run, locks }) {
        const rows = await run(
          `SELECT id FROM outbox WHERE id = $1 AND kind = 'scheduled' ${locks.forUpdate}`,
          [ticket],
        )
        return rows.length > 0
      },
      async record() {},
    })
    for (const id of walletIds) changes.note(id)
    return settled.length > 0
  }
}

/** Read once for each carrier, however many messages there are. */
async function receiptsOf(
  tx: Tx,
  messages: readonly UncertainMessage[],
): Promise<Map<Ticket, EarlyReceipt[]>> {
  const found = new Map<Ticket, EarlyReceipt[]>()
  for (const [carrier, ofCarrier] of Map.groupBy(messages, (message) => message.carrier)) {
    const since = new Map<string, number>()
    for (const { recipient, handedAt } of ofCarrier) {
      for (const number of numbersOf(recipient))
        since.set(number, Math.min(handedAt, since.get(number) ?? handedAt))
    }
    const byNumber = await earlyReceiptsOf(tx, carrier, since)
    for (const { ticket, recipient, handedAt } of ofCarrier) {
      const receipts = numbersOf(recipient)
        .flatMap((number) => byNumber.get(number) ?? [])
        .filter(({ at }) => at >= handedAt)
      if (receipts.length > 0) found.set(ticket, receipts)
    }
  }
  return found
}

/** How a receipt may name the number of a message. */
function numbersOf(recipient: string): string[] {
  return [...new Set([recipient, dialled(recipient)])]
}
