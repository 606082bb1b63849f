import { createOperatorAudit, type OperatorAuditOptions } from '../../audit/index.ts'
import { FAILURES } from '../../domain/failure-reasons.ts'
import type { EpochMs, Ticket } from '../../domain/ids.ts'
import { dialled } from '../../domain/phone/phone.ts'
import type { Changes } from '../../platform/changes.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Database, Tx } from '../../platform/database/database.ts'
import { type EarlyReceipt, earlyReceiptsOf, forgetEarly } from '../finish/early-receipts.ts'
import type { Ending } from '../finish/endings.ts'
import { createFinishOne } from '../finish/finish.ts'
import type { ListedMessage } from './carrier-list.ts'
import { decisionsOf, type ListedDecisions } from './listed-messages.ts'
import { type NamedMessages, namedMessages } from './named-messages.ts'
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

/** What an operator sees of uncertain messages and decides about them. Each decision leaves an audit row. */
export interface Settling {
  /** The oldest messages whose carrier never said whether it took them, and how many there are. */
  uncertain(
    limit: number,
    which?: WhichUncertain & { after?: string | undefined },
  ): Promise<{ total: number; messages: UncertainMessage[] }>
  /** How many those are, and what is held for them. */
  uncertainSums(which: WhichUncertain): Promise<UncertainSum[]>
  /** The uncertain messages that a carrier's list names, by our tickets or by its own references. */
  uncertainNamed(names: readonly string[], carrier: string | undefined): Promise<NamedMessages>
  /** Reads which messages a carrier's list decides about. */
  listed(list: readonly ListedMessage[], carrier: string | undefined): Promise<ListedDecisions>
  /** The receipts without a message that may belong to these: of the same carrier and number, and after the hand-over. */
  receiptsFor(messages: readonly UncertainMessage[]): Promise<Map<Ticket, EarlyReceipt[]>>
  /** Decides how such a message ended. `carrierRef` is what its carrier calls it, if that is known. */
  settle(ticket: string, status: SettledAs, carrierRef?: string): Promise<Decided>
  /** Decides that such a message ended as a receipt says that may belong to it. */
  settleBy(ticket: string, ref: string): Promise<Decided>
  /** Decides about messages, one after another. What was done stays when it is cut off, and can be gone on with. */
  settleEach(decisions: readonly Decision[], onDone?: () => void): Promise<SettledMany>
  /** Decides about all uncertain messages that match, in the same way. */
  settleAll(which: WhichUncertain, status: SettledAs, onDone?: () => void): Promise<SettledMany>
}

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
  /** Those that were not uncertain any more: nothing was changed. */
  left: number
}

export interface SettlingParts extends OperatorAuditOptions {
  database: Database
  clock: Clock
  changes: Pick<Changes, 'note'>
  newId(now: EpochMs): Ticket
}

/** Messages that are read at a time. */
const SLICE = 500

export function createSettling(parts: SettlingParts): Settling {
  const { database, clock, changes, newId } = parts
  const audit = createOperatorAudit(parts)
  const finishOne = createFinishOne(database)

  async function settle(ticket: string, status: SettledAs, carrierRef = ''): Promise<Decided> {
    const ending = { status, carrierRef, ...(status === 'failed' && { reason: FAILURES.decided }) }
    return end(ticket, ending)
  }

  async function settleBy(ticket: string, ref: string): Promise<Decided> {
    const now = clock.now()
    const receipt = await database.read(async (tx) => {
      const [message] = await uncertainAmong(tx, now, [ticket])
      const receipts = message && (await receiptsOf(tx, [message])).get(message.ticket)
      return receipts?.find((one) => one.ref === ref)
    })
    if (!receipt) return { settled: false, message: await database.read((tx) => standingOf(tx, ticket, now)) }
    const { verdict, reason } = receipt
    const ending = { status: verdict, carrierRef: ref, ...(reason !== null && { reason }) }
    return end(ticket, ending)
  }

  /** Ends a message if it is uncertain, with an audit row in the same transaction. */
  async function end(ticket: string, ending: Omit<Ending, 'ticket' | 'submittedAt'>): Promise<Decided> {
    const now = clock.now()
    const before = await database.read((tx) => standingOf(tx, ticket, now))
    if (!before) return { settled: false, message: undefined }
    const { accountId, carrier, handedAt } = before
    const { status, carrierRef } = ending
    const detail = { ticket, carrier, status, ...(carrierRef !== '' && { carrierReference: carrierRef }) }
    const { settled, walletIds } = await finishOne(
      { ...ending, ticket: ticket as Ticket, submittedAt: handedAt },
      {
        now,
        newId,
        onlyIf: (tx) => lockUncertain(tx, ticket, now),
        async record(tx) {
          await audit(tx, { accountId, detail, action: 'message.settle' })
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

  async function settleEach(decisions: readonly Decision[], onDone = () => {}): Promise<SettledMany> {
    const done = { settled: 0, left: 0 }
    for (const { ticket, status, carrierRef } of decisions) {
      const { settled } = await settle(ticket, status, carrierRef)
      done[settled ? 'settled' : 'left']++
      onDone()
    }
    return done
  }

  function sliceAfter(after: string, which: WhichUncertain): Promise<UncertainMessage[]> {
    return database.read((tx) => uncertainMessages(tx, clock.now(), SLICE, { ...which, after }))
  }

  return {
    settle,
    settleBy,
    settleEach,

    uncertain: (limit, which = {}) =>
      database.read(async (tx) => {
        const sums = await sumUncertain(tx, clock.now(), which)
        const messages = await uncertainMessages(tx, clock.now(), limit, which)
        return { total: sums.reduce((total, sum) => total + sum.messages, 0), messages }
      }),

    uncertainSums: (which) => database.read((tx) => sumUncertain(tx, clock.now(), which)),

    uncertainNamed: (names, carrier) => database.read((tx) => namedMessages(tx, names, carrier, clock.now())),

    listed: (list, carrier) => database.read((tx) => decisionsOf(tx, list, carrier, clock.now())),

    receiptsFor: (messages) => database.read((tx) => receiptsOf(tx, messages)),

    async settleAll(which, status, onDone) {
      const total = { settled: 0, left: 0 }
      let after: string | undefined = ''
      while (after !== undefined) {
        const slice = await sliceAfter(after, which)
        const decisions = slice.map(({ ticket }) => ({ ticket, status }))
        const { settled, left } = await settleEach(decisions, onDone)
        total.settled += settled
        total.left += left
        after = slice.length === SLICE ? slice.at(-1)?.ticket : undefined
      }
      return total
    },
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
