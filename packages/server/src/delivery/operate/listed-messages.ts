import type { EpochMs, Ticket } from '../../domain/ids.ts'
import { dialled } from '../../domain/phone/phone.ts'
import type { Mistake } from '../../platform/csv.ts'
import type { Tx } from '../../platform/database/database.ts'
import { type ListedMessage, nameOf } from './carrier-list.ts'
import { type NamedMessages, namedMessages } from './named-messages.ts'
import { type SettledAs, type UncertainMessage, uncertainMessages } from './uncertain.ts'

/** The decisions of a carrier's list, and its rows that decide nothing. */
export interface ListedDecisions {
  decisions: ListedDecision[]
  mistakes: Mistake[]
  /** How many rows are of messages that are not uncertain. */
  others: number
  /** How the rows name their messages that name none. */
  unknown: string[]
}

export interface ListedDecision {
  message: UncertainMessage
  status: SettledAs
  /** The carrier's own reference; empty if the list doesn't say it. */
  carrierRef: string
}

/** A carrier's clock and ours differ, and some lists have minutes alone. */
const NEAR_MS = 2 * 60_000
const SLICE = 500

/** A decision for each uncertain message that a list names. Two rows about one message must agree. */
export async function decisionsOf(
  tx: Tx,
  listed: readonly ListedMessage[],
  carrier: string | undefined,
  now: EpochMs,
): Promise<ListedDecisions> {
  const names = listed.flatMap(({ by }) => ('reference' in by ? by.reference : []))
  const { uncertain, others: final } = await namedMessages(tx, names, carrier, now)
  const named = { uncertain, others: new Set(final) }
  const byNumber = names.length < listed.length ? await uncertainByNumber(tx, carrier, now) : new Map()
  const decisions = new Map<Ticket, ListedDecision & { line: number }>()
  const mistakes: Mistake[] = []
  const unknown: string[] = []
  let others = 0
  for (const one of listed) {
    const { line, status, carrierRef } = one
    const fitting = messagesFor(one, named, byNumber)
    if (fitting === 'other') others++
    else if (fitting.length === 0) unknown.push(nameOf(one))
    else if (fitting.length > 1) mistakes.push({ line, why: severalFit(one, fitting) })
    for (const message of fitting === 'other' || fitting.length > 1 ? [] : fitting) {
      const before = decisions.get(message.ticket)
      if (before && before.status !== status)
        mistakes.push({ line, why: `${message.ticket} has another status in line ${before.line}` })
      else decisions.set(message.ticket, { message, status, carrierRef, line })
    }
  }
  return { decisions: [...decisions.values()], mistakes, others, unknown }
}

/** The uncertain messages that a row may mean; `other` for one that is not uncertain. */
function messagesFor(
  { by }: ListedMessage,
  { uncertain, others }: { uncertain: NamedMessages['uncertain']; others: ReadonlySet<string> },
  byNumber: ReadonlyMap<string, readonly UncertainMessage[]>,
): readonly UncertainMessage[] | 'other' {
  if ('reference' in by) {
    const message = uncertain.get(by.reference)
    if (message) return [message]
    return others.has(by.reference) ? 'other' : []
  }
  const messages = byNumber.get(dialled(by.to)) ?? []
  return messages.filter(({ handedAt }) => Math.abs(handedAt - by.at) <= NEAR_MS)
}

function severalFit(one: ListedMessage, fitting: readonly UncertainMessage[]): string {
  const tickets = fitting.map(({ ticket }) => ticket).join(', ')
  return `${nameOf(one)} may be ${fitting.length} messages: expected a reference, one of ${tickets}`
}

async function uncertainByNumber(
  tx: Tx,
  carrier: string | undefined,
  now: EpochMs,
): Promise<Map<string, UncertainMessage[]>> {
  const messages: UncertainMessage[] = []
  for (let after: string | undefined = ''; after !== undefined; ) {
    const slice: UncertainMessage[] = await uncertainMessages(tx, now, SLICE, { carrier, after })
    messages.push(...slice)
    after = slice.length === SLICE ? slice.at(-1)?.ticket : undefined
  }
  return Map.groupBy(messages, ({ recipient }) => dialled(recipient))
}
