import { and, desc, eq, gte, isNull, lt, lte, or, type SQL } from 'drizzle-orm'
import type { EpochMs, Ticket } from '../domain/ids.ts'
import { FINAL_STATUSES, isFinal, type Status } from '../domain/message.ts'
import { hasKeyOf, type MessageRow, senderKey } from '../messages/index.ts'
import type { Tx } from '../platform/database/database.ts'
import type { Position } from '../platform/http/wire.ts'

/** The conditions of a search. A message must match all of them. */
export interface MessageFilter {
  createdFrom: EpochMs | undefined
  createdBefore: EpochMs | undefined
  status: Status | undefined
  recipient: string | undefined
  sender: string | undefined
}

interface Page {
  after: Position | undefined
  limit: number
}

/** The wallet whose messages are searched, and its account's senders. */
export interface SearchScope {
  walletId: string
  /** All sender IDs that the account has ever had. */
  senders: readonly string[]
}

/**
 * A page of a wallet's messages, newest first. Every kind of filter has an index in result order, or in result order
 * within each run of recipients, so a page from a million messages reads no more of them than one from a thousand. Only
 * messages that are not final yet are scanned.
 */
export async function searchMessages(
  tx: Tx,
  scope: SearchScope,
  filter: MessageFilter,
  page: Page,
): Promise<MessageRow[]> {
  // In the order of a message's life: one that becomes final meanwhile is found at least once, and the later result
  // wins.
  const found = new Map<Ticket, MessageRow>()
  for (const look of looksFor(tx, scope, filter)) {
    const rows = await (look.inRuns ? matchingInRuns : matching)(tx, look, page)
    for (const row of rows) found.set(row.id, row)
  }
  return [...found.values()].sort(newestFirst).slice(0, page.limit)
}

/** A part of one index to read, and the filter on it. */
interface Look {
  walletId: string
  /** The key of the part; undefined for all of the wallet's messages. Wallets may share a key. */
  key: SQL | undefined
  filter: MessageFilter
  /** The part is split into many runs, each in order of time. */
  inRuns?: true
}

function looksFor(tx: Tx, { walletId, senders }: SearchScope, filter: MessageFilter): Look[] {
  const { messages } = tx.t
  const { recipient, sender, status } = filter
  if (recipient === undefined && sender === undefined && status === undefined)
    return [{ walletId, key: undefined, filter }]
  const open = { walletId, key: isNull(messages.senderKey), filter }
  if (status !== undefined && !isFinal(status)) return [open]
  const final: Look[] = []
  if (recipient !== undefined) {
    final.push({ walletId, key: hasKeyOf(tx, walletId, recipient), filter, inRuns: true })
  } else {
    // One index serves sender, status or both: a filter that is missing is replaced by all its values, one at a time.
    for (const each of sender === undefined ? senders : [sender]) {
      for (const ending of status === undefined ? FINAL_STATUSES : [status]) {
        const key = eq(messages.senderKey, senderKey(walletId, each, ending))
        final.push({ walletId, key, filter: { ...filter, sender: each, status: ending } })
      }
    }
  }
  return status === undefined ? [open, ...final] : final
}

/**
 * First finds in the index how far back the page reaches, so that only a recipient's newest messages are fetched and
 * sorted. Goes further back when too few of them match the rest of the filter.
 */
async function matchingInRuns(tx: Tx, look: Look, page: Page): Promise<MessageRow[]> {
  for (let newest = page.limit; ; newest *= 16) {
    const since = await timeOfNewest(tx, look, page.after, newest)
    const filter = { ...look.filter, createdFrom: since ?? look.filter.createdFrom }
    const rows = await matching(tx, { ...look, filter }, page)
    if (since === undefined || rows.length === page.limit) return rows
  }
}

/** The time of the nth newest row; undefined when there are fewer. */
async function timeOfNewest(
  tx: Tx,
  { key, filter }: Look,
  after: Position | undefined,
  nth: number,
): Promise<EpochMs | undefined> {
  const { createdAt } = tx.t.messages
  const [row] = await tx.db
    .select({ createdAt })
    .from(tx.t.messages)
    .where(and(key, inTime(tx, filter, after)))
    .orderBy(desc(createdAt))
    .limit(1)
    .offset(nth - 1)
  return row?.createdAt
}

async function matching(
  tx: Tx,
  { walletId, key, filter }: Look,
  { after, limit }: Page,
): Promise<MessageRow[]> {
  const { messages } = tx.t
  const { status, recipient, sender } = filter
  return tx.db
    .select()
    .from(messages)
    .where(
      and(
        eq(messages.walletId, walletId),
        key,
        inTime(tx, filter, after),
        status && eq(messages.status, status),
        recipient === undefined ? undefined : eq(messages.recipient, recipient),
        sender === undefined ? undefined : eq(messages.sender, sender),
        after && or(lt(messages.createdAt, after.at as EpochMs), lt(messages.id, after.id as Ticket)),
      ),
    )
    .orderBy(desc(messages.createdAt), desc(messages.id))
    .limit(limit)
}

function inTime(
  { t: { messages } }: Tx,
  { createdFrom, createdBefore }: MessageFilter,
  after: Position | undefined,
): SQL | undefined {
  return and(
    createdFrom === undefined ? undefined : gte(messages.createdAt, createdFrom),
    createdBefore === undefined ? undefined : lt(messages.createdAt, createdBefore),
    after && lte(messages.createdAt, after.at as EpochMs),
  )
}

function newestFirst(a: MessageRow, b: MessageRow): number {
  return b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1)
}
