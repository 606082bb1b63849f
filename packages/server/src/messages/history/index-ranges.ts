import { and, eq, gt, gte, inArray, isNotNull, isNull, like, lt, lte, or, type SQL, sql } from 'drizzle-orm'
import type { EpochMs, Ticket } from '../../kernel/ids.ts'
import { FINAL_STATUSES, type FinalStatus, isFinal, type Status } from '../../kernel/message.ts'
import { lastDigitsOf, phoneOf } from '../../kernel/phone/phone.ts'
import type { Position } from '../../net/server/paging.ts'
import type { Tx } from '../../store/database.ts'
import { hasKeyOf, senderKey } from '../index.ts'

/** The conditions of a search. A message must match all of them. */
export interface MessageFilter {
  createdFrom: EpochMs | undefined
  createdBefore: EpochMs | undefined
  /** Any of these. */
  statuses: readonly Status[] | undefined
  /** The phone of this number, which may be written with its national prefix or without. */
  recipient: string | undefined
  sender: string | undefined
  reference: string | undefined
  /** Who sent it: a kind, or a part of a name. No key of an index has it: see `queries.ts`. */
  sentBy: string | undefined
}

/** The filter that every message matches. */
export const EVERYTHING: MessageFilter = {
  createdFrom: undefined,
  createdBefore: undefined,
  statuses: undefined,
  recipient: undefined,
  sender: undefined,
  reference: undefined,
  sentBy: undefined,
}

/** The wallet whose messages are searched, and its account's senders. */
export interface SearchScope {
  walletId: string
  /** All sender IDs that the account has ever had. */
  senders: readonly string[]
}

/** A part of one index to read, and the filter on it. */
export interface IndexRange {
  walletId: string
  /** The key of the part; undefined for all of the wallet's messages. Wallets may share a key. */
  key: SQL | undefined
  filter: MessageFilter
  /** `runs` is split into many parts, each in order of time; the others are in order. Only `open` loses messages. */
  kind: 'all' | 'open' | 'final' | 'runs'
}

/**
 * The parts of the indexes that hold the messages, each of which is read newest first. They are in the order of a
 * message's life: when they are read in this order, a message that becomes final meanwhile is found at least once.
 */
export function rangesFor(tx: Tx, { walletId, senders }: SearchScope, filter: MessageFilter): IndexRange[] {
  const { messages } = tx.t
  const { recipient, sender, statuses, reference } = filter
  if (recipient === undefined && sender === undefined && statuses === undefined && reference === undefined)
    return [{ kind: 'all', walletId, key: undefined, filter }]
  const open = statuses?.filter((status) => !isFinal(status))
  const final = statuses === undefined ? FINAL_STATUSES : statuses.filter(isFinal)
  const ranges: IndexRange[] = []
  if (open?.length !== 0) {
    const key = isNull(messages.senderKey)
    ranges.push({ kind: 'open', walletId, key, filter: { ...filter, statuses: open } })
  }
  if (final.length === 0) return ranges
  // Before the reference: one person gets fewer messages than a reference may have, such as the name of a campaign.
  if (recipient !== undefined) {
    const key = hasKeyOf(tx, walletId, phoneOf(recipient))
    return [...ranges, { kind: 'runs', walletId, key, filter: { ...filter, statuses: statuses && final } }]
  }
  if (reference !== undefined) {
    const key = and(isReferred(tx), keysOf(tx, { walletId, senders }, filter, final))
    return [...ranges, { kind: 'final', walletId, key, filter: { ...filter, statuses: statuses && final } }]
  }
  // One index serves sender, statuses or both: a filter that is missing is replaced by all its values, one at a time.
  for (const each of sender === undefined ? senders : [sender]) {
    for (const ending of final) {
      const key = eq(messages.senderKey, senderKey(walletId, each, ending))
      ranges.push({ kind: 'final', walletId, key, filter: { ...filter, sender: each, statuses: [ending] } })
    }
  }
  return ranges
}

/**
 * Messages from people and assistants, which have an index of their own. Only the filter's times apply here:
 * looking for the rest too would read on without a bound.
 */
export function rangeNotByApi(tx: Tx, { walletId }: SearchScope, filter: MessageFilter): IndexRange {
  const { createdFrom, createdBefore } = filter
  const key = sql`substr(${tx.t.messages.sentBy}, 1, 7) <> 'client:'`
  return { kind: 'all', walletId, key, filter: { ...EVERYTHING, createdFrom, createdBefore } }
}

/** The condition of the index of references, in its words: it holds final messages, and only those that have one. */
function isReferred({ t: { messages } }: Tx): SQL | undefined {
  return and(isNotNull(messages.senderKey), sql`${messages.reference} <> ''`)
}

/** The keys of a filter's sender and statuses. They are in the index of references, so that it alone is read through. */
function keysOf(
  { t: { messages } }: Tx,
  { walletId, senders }: SearchScope,
  { sender, statuses }: MessageFilter,
  final: readonly FinalStatus[],
): SQL | undefined {
  if (sender === undefined && statuses === undefined) return undefined
  const named = sender === undefined ? senders : [sender]
  const keys = named.flatMap((each) => final.map((ending) => senderKey(walletId, each, ending)))
  return inArray(messages.senderKey, keys)
}

/** The part of a list that is read: from the newest message after a position down to another position. */
export interface Stretch {
  after: Position | undefined
  /** The last position that may be read; undefined to the end of the list. */
  until: Position | undefined
}

/** The condition of a range's rows in a stretch. Rows of other phones are among them: see {@link isTo}. */
export function rowsOf(
  tx: Tx,
  { kind, walletId, key, filter }: IndexRange,
  stretch: Stretch,
): SQL | undefined {
  const { messages } = tx.t
  const { statuses, recipient, sender, reference } = filter
  const inFull = and(
    eq(messages.walletId, walletId),
    statuses && inArray(messages.status, [...statuses]),
    recipient === undefined ? undefined : like(messages.recipient, `%${lastDigitsOf(phoneOf(recipient))}`),
    sender === undefined ? undefined : eq(messages.sender, sender),
  )
  // The key implies all of this but for a collision. PostgreSQL does not know that: it would expect almost no rows, and sort
  // all that have the key for one page. Of a CASE it expects half of them.
  const isImplied = kind === 'final' && reference === undefined
  return and(
    key,
    inTime(tx, filter, stretch),
    isImplied ? sql`CASE WHEN ${inFull} THEN true ELSE false END` : inFull,
    reference === undefined ? undefined : eq(messages.reference, reference),
    within(tx, stretch),
  )
}

/** The condition of a stretch, beside that of its times: where they coincide, tickets decide. */
export function within({ t: { messages } }: Tx, { after, until }: Stretch): SQL | undefined {
  const { createdAt, id } = messages
  return and(
    after && or(lt(createdAt, after.at as EpochMs), lt(id, after.id as Ticket)),
    until && or(gt(createdAt, until.at as EpochMs), gte(id, until.id as Ticket)),
  )
}

/** Whether a message goes to the phone that a filter names. A condition of SQL can't tell prefixes from numbers. */
export function isTo({ recipient }: MessageFilter): (message: { recipient: string }) => boolean {
  if (recipient === undefined) return () => true
  const phone = phoneOf(recipient)
  return (message) => phoneOf(message.recipient) === phone
}

/** The condition of a time range, and of the times of a stretch. */
export function inTime(
  { t: { messages } }: Tx,
  { createdFrom, createdBefore }: MessageFilter,
  { after, until }: Stretch,
): SQL | undefined {
  return and(
    createdFrom === undefined ? undefined : gte(messages.createdAt, createdFrom),
    createdBefore === undefined ? undefined : lt(messages.createdAt, createdBefore),
    after && lte(messages.createdAt, after.at as EpochMs),
    until && gte(messages.createdAt, until.at as EpochMs),
  )
}

/** The order of every list of messages. */
export function newestFirst(
  a: { createdAt: EpochMs; id: Ticket },
  b: { createdAt: EpochMs; id: Ticket },
): number {
  return b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1)
}
