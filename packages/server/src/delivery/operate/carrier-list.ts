import { type EpochMs, epochMs, isTicket, type Ticket } from '../../kernel/ids.ts'
import { dialled, plainNumber } from '../../kernel/phone/phone.ts'
import { type CsvText, type Mistake, NotCsv, readCsvText } from '../../kernel/process/csv-reader.ts'
import { MINUTE_MS } from '../../kernel/time/spans.ts'
import type { Tx } from '../../store/database.ts'
import { inChunks, placeholders } from '../../store/rows.ts'
import { findRefs } from '../finish/refs.ts'
import {
  countUncertain,
  type SettledAs,
  type UncertainMessage,
  uncertainAmong,
  uncertainMessages,
} from './uncertain.ts'

/** One message of a carrier's list. */
export interface ListedMessage {
  line: number
  /** Our ticket, or the carrier's reference; else the number and when the carrier took the message. */
  by: { reference: string } | { to: string; at: EpochMs }
  status: SettledAs
  /** The carrier's own reference; empty if the list doesn't say it. */
  carrierRef: string
}

interface CarrierList {
  messages: readonly ListedMessage[]
  mistakes: Mistake[]
  separatedBy: string | undefined
}

/** Carriers' words for each end, in lower case. */
const WORDS: Readonly<Record<SettledAs, readonly string[]>> = {
  success: ['success', 'delivered', 'delivrd'],
  failed: ['failed', 'undelivered', 'undeliv', 'rejected', 'rejectd', 'expired', 'deleted'],
}

/** The columns that a list needs: one of these. */
const NEEDED = [
  ['reference', 'status'],
  ['to', 'time', 'status'],
] as const
type Column = (typeof NEEDED)[number][number] | 'message_id'
const ALL: readonly Column[] = ['reference', 'to', 'time', 'status', 'message_id']

/** The columns of a carrier's list, in words. */
export const LIST_COLUMNS = 'reference,status or to,time,status, and perhaps message_id'

/**
 * Reads a carrier's list of how messages ended: a CSV text that names each by a reference, or by its number and the time
 * at which the carrier took it. Throws `NotCsv`.
 */
export function readCarrierList(text: string): CarrierList {
  const { rows, mistakes, separatedBy } = readRows(text)
  const messages: ListedMessage[] = []
  const lines = new Map<string, ListedMessage>()
  for (const { line, cells } of rows) {
    const read = readRow(line, cells)
    if ('why' in read) {
      mistakes.push(read)
      continue
    }
    const name = nameOf(read)
    const before = lines.get(name)
    if (before && before.status !== read.status)
      mistakes.push({ line, why: `${name} has another status in line ${before.line}` })
    if (before) continue
    lines.set(name, read)
    messages.push(read)
  }
  return { messages, mistakes, separatedBy }
}

function readRows(text: string): CsvText<Column> {
  for (const required of NEEDED) {
    const optional = ALL.filter((name) => !required.some((one) => one === name))
    try {
      return readCsvText<Column>(text, { required, optional, others: 'ignored' })
    } catch (error) {
      if (!(error instanceof NotCsv) || error.line !== 1) throw error
    }
  }
  const first = /^[^\r\n]{0,200}/.exec(text)?.[0] || 'nothing'
  throw new NotCsv(`expected the columns ${LIST_COLUMNS}; got ${first}`, 1)
}

/** How a row names its message. */
function nameOf({ by }: Pick<ListedMessage, 'by'>): string {
  return 'reference' in by ? by.reference : `${by.to} at ${new Date(by.at).toISOString().slice(0, 19)}Z`
}

function readRow(line: number, cells: Partial<Record<Column, string>>): ListedMessage | Mistake {
  const { status: word = '', reference = '', to = '', time = '', message_id: carrierRef = '' } = cells
  const status = (['success', 'failed'] as const).find((one) => WORDS[one].includes(word.toLowerCase()))
  const wrong = (why: string): Mistake => ({ line, why })
  if (reference === '' && to === '') return wrong('reference: expected one, got an empty cell')
  if (!status)
    return wrong(
      `status: expected one of ${[...WORDS.success, ...WORDS.failed].join(', ')}; got ${JSON.stringify(word)}`,
    )
  if (/[^!-~]/.test(carrierRef))
    return wrong(`message_id: expected visible characters alone; got ${JSON.stringify(carrierRef)}`)
  if (reference !== '') return { line, by: { reference }, status, carrierRef }
  const number = plainNumber(to)
  if (!/^[1-9]\d{6,14}$/.test(number))
    return wrong(`to: expected a number with its country code; got ${JSON.stringify(to)}`)
  const at = readTime(time)
  if (at === undefined)
    return wrong(`time: expected one such as 2026-01-31 10:31:02, in UTC; got ${JSON.stringify(time)}`)
  return { line, by: { to: number, at }, status, carrierRef }
}

const TIME = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?) ?(Z|UTC|[+-]\d\d:?\d\d)?$/i

/** A time with its zone, or in UTC. */
function readTime(text: string): EpochMs | undefined {
  const [, day = '', time = '', zone = 'Z'] = TIME.exec(text) ?? []
  const at = Date.parse(`${day}T${time}${/^utc$/i.test(zone) ? 'Z' : zone}`)
  const midnight = Date.parse(`${day}T00:00:00Z`)
  // A day that does not exist, such as February 30, moves to another one on some engines.
  const exists = midnight >= 0 && new Date(midnight).toISOString().startsWith(day)
  return exists && at >= 0 ? epochMs(at) : undefined
}

/** The decisions of a carrier's list, and its rows that decide nothing. */
export interface ListedDecisions {
  decisions: ListedDecision[]
  mistakes: Mistake[]
  /** How many rows are of messages that are not uncertain. */
  others: number
  /** How the rows name their messages that name none. */
  unknown: string[]
}

interface ListedDecision {
  message: UncertainMessage
  status: SettledAs
  /** The carrier's own reference; empty if the list doesn't say it. */
  carrierRef: string
}

/** A carrier's clock and ours differ, and some lists have minutes alone. */
const NEAR_MS = 2 * MINUTE_MS
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

export interface NamedMessages {
  /** By what the list calls them. */
  uncertain: ReadonlyMap<string, UncertainMessage>
  /** The names of messages about which nothing is to be decided. */
  others: readonly string[]
  /** The names of no message. A carrier's reference is known while its message is under way. */
  unknown: readonly string[]
}

/** The messages that a carrier's list names, by our tickets or by its own references. */
export async function namedMessages(
  tx: Tx,
  names: readonly string[],
  carrier: string | undefined,
  now: EpochMs,
): Promise<NamedMessages> {
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
