import { createOperatorAudit, type OperatorAuditOptions } from '../../audit/index.ts'
import { FAILURES } from '../../domain/failure-reasons.ts'
import { type EpochMs, isTicket, type Ticket } from '../../domain/ids.ts'
import type { Changes } from '../../platform/changes.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Database, Tx } from '../../platform/database/database.ts'
import { inChunks, placeholders } from '../../platform/database/rows.ts'
import type { Ending } from '../finish/endings.ts'
import { createFinishOne } from '../finish/finish.ts'
import { findRefs } from '../finish/refs.ts'
import {
  countUncertain,
  lockUncertain,
  type Standing,
  standingOf,
  sumUncertain,
  type UncertainMessage,
  type UncertainSum,
  uncertainAmong,
  uncertainMessages,
  type WhichUncertain,
} from './uncertain.ts'

/** How an operator may decide that an uncertain message ended. */
export type SettledAs = 'success' | 'failed'

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
  /** Decides how such a message ended. */
  settle(ticket: string, status: SettledAs): Promise<Decided>
  /** Decides about messages, one after another. What was done stays when it is cut off, and can be gone on with. */
  settleEach(decisions: readonly Decision[], onDone?: () => void): Promise<SettledMany>
  /** Decides about all uncertain messages that match, in the same way. */
  settleAll(which: WhichUncertain, status: SettledAs, onDone?: () => void): Promise<SettledMany>
}

export interface Decision {
  ticket: Ticket
  status: SettledAs
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

export interface NamedMessages {
  /** By what the list calls them. */
  uncertain: ReadonlyMap<string, UncertainMessage>
  /** The names of messages about which nothing is to be decided. */
  others: readonly string[]
  /** The names of no message. A carrier's reference is known while its message is under way. */
  unknown: readonly string[]
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

  async function settle(ticket: string, status: SettledAs): Promise<Decided> {
    const now = clock.now()
    const before = await database.read((tx) => standingOf(tx, ticket, now))
    if (!before) return { settled: false, message: undefined }
    const { accountId, carrier, handedAt } = before
    const entry = { accountId, detail: { ticket, carrier, status } }
    const { settled, walletIds } = await finishOne(endingOf(ticket as Ticket, status, handedAt), {
      now,
      newId,
      onlyIf: (tx) => lockUncertain(tx, ticket, now),
      record: (tx) => audit(tx, { ...entry, action: 'message.settle' }),
    })
    for (const id of walletIds) changes.note(id)
    return {
      settled: settled.length > 0,
      message: await database.read((tx) => standingOf(tx, ticket, now)),
    }
  }

  async function settleEach(decisions: readonly Decision[], onDone = () => {}): Promise<SettledMany> {
    const done = { settled: 0, left: 0 }
    for (const { ticket, status } of decisions) {
      const { settled } = await settle(ticket, status)
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
    settleEach,

    uncertain: (limit, which = {}) =>
      database.read(async (tx) => {
        const sums = await sumUncertain(tx, clock.now(), which)
        const messages = await uncertainMessages(tx, clock.now(), limit, which)
        return { total: sums.reduce((total, sum) => total + sum.messages, 0), messages }
      }),

    uncertainSums: (which) => database.read((tx) => sumUncertain(tx, clock.now(), which)),

    uncertainNamed: (names, carrier) =>
      database.read(async (tx) => {
        const now = clock.now()
        const tickets = await ticketsOf(tx, names, carrier, now)
        const ids = [...new Set(tickets.values())]
        const listed = await uncertainAmong(tx, now, ids)
        const byTicket = new Map(
          listed
            .filter((message) => carrier === undefined || message.carrier === carrier)
            .map((message) => [message.ticket, message]),
        )
        const known = await existing(tx, ids)
        const named = (name: string) => tickets.get(name)
        const isKnown = (name: string) => known.has(named(name) ?? '')
        const uncertain = new Map<string, UncertainMessage>()
        for (const name of names) {
          const message = byTicket.get(named(name) ?? ('' as Ticket))
          if (message) uncertain.set(name, message)
        }
        return {
          uncertain,
          others: names.filter((name) => isKnown(name) && !uncertain.has(name)),
          unknown: names.filter((name) => !isKnown(name)),
        }
      }),

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

function endingOf(ticket: Ticket, status: SettledAs, submittedAt: number): Ending {
  const ending = { ticket, status, carrierRef: '', submittedAt }
  if (status === 'success') return ending
  return { ...ending, reason: FAILURES.decided }
}

/** The messages that names may mean: a ticket, or the reference of a carrier that has uncertain messages. */
async function ticketsOf(
  tx: Tx,
  names: readonly string[],
  carrier: string | undefined,
  now: EpochMs,
): Promise<Map<string, Ticket>> {
  const tickets = new Map<string, Ticket>()
  for (const name of names) if (isTicket(name)) tickets.set(name, name.toLowerCase() as Ticket)
  const references = names.filter((name) => !tickets.has(name))
  const carriers = carrier === undefined ? await countUncertain(tx, now) : [{ carrier }]
  for (const one of carriers) {
    for (const [name, { ticket }] of await findRefs(tx, one.carrier, references)) tickets.set(name, ticket)
  }
  return tickets
}

async function existing({ run }: Tx, tickets: readonly Ticket[]): Promise<Set<string>> {
  const found = new Set<string>()
  await inChunks(tickets, async (chunk) => {
    const rows = await run<{ id: string }>(
      `SELECT id FROM messages WHERE id IN ${placeholders(1, chunk.length)}`,
      chunk,
    )
    for (const { id } of rows) found.add(id)
  })
  return found
}
