import { and, desc, eq, inArray } from 'drizzle-orm'
import type { EpochMs, Ticket } from '../../kernel/ids.ts'
import type { Status } from '../../kernel/message.ts'
import type { Position } from '../../net/server/paging.ts'
import type { Replica, Tx } from '../../store/database.ts'
import type { MessageRow } from '../index.ts'
import {
  type IndexRange,
  type MessageFilter,
  newestFirst,
  rangeNotByApi,
  rangesFor,
  rowsOf,
  type SearchScope,
  type Stretch,
} from './index-ranges.ts'
import { endOfRanges, type Found, readRange, SEARCH_LIMITS, type SearchLimits } from './search.ts'
import type { WantedSenders } from './sent-by.ts'

/** The columns that a search looks at. */
interface Searched {
  id: Ticket
  createdAt: EpochMs
  recipient: string
  content: string
  reference: string
  sender: string
  status: Status
  sentBy: string | null
}

export interface WordSearch {
  scope: SearchScope
  filter: MessageFilter
  /** All of them must be in the text or in the reference. */
  words: readonly string[]
  /** Who must have sent it; undefined for anybody. */
  by?: WantedSenders | undefined
  after: Position | undefined
  limit: number
  limits?: SearchLimits
}

export interface FoundByWords extends Found {
  /** How many messages were looked at. */
  scanned: number
}

/**
 * Looks for words, and for who sent it, among the newest messages that match a filter: as many as are wanted, or as may be
 * looked at.
 */
export async function searchWords(database: Replica, search: WordSearch): Promise<FoundByWords> {
  const { scope, filter, words, after, limit, limits = SEARCH_LIMITS } = search
  const { ranges, until } = await database.read(async (tx) => {
    const ranges = isOfOthers(search) ? [rangeNotByApi(tx, scope, filter)] : rangesFor(tx, scope, filter)
    return { ranges, until: await endOfRanges(tx, ranges, after, limits.open) }
  })
  const most = mostOf(search, limits)
  const wanted = words.map(folded)
  const found: Ticket[] = []
  let scanned = 0
  let stoppedAt = until
  for await (const row of newestOf(database, ranges, { after, until, most, slice: limits.slice })) {
    scanned++
    const { id, createdAt } = row
    const [text, ref] = wanted.length === 0 ? ['', ''] : [folded(row.content), folded(row.reference)]
    const hasWords = wanted.every((word) => text.includes(word) || ref.includes(word))
    if (hasWords && isSentSo(row, search)) found.push(id)
    stoppedAt = { at: createdAt, id }
    if (found.length === limit || scanned === most) break
    stoppedAt = until
  }
  const rows = await database.read((tx) => messagesWith(tx, scope.walletId, found))
  return { rows, scanned, stoppedAt }
}

/** Whether only what people and assistants sent is looked at. A number or a reference has few messages of its own. */
function isOfOthers({ filter: { recipient, reference }, by }: WordSearch): boolean {
  return by?.notByApi === true && recipient === undefined && reference === undefined
}

/** Of others' messages, the range has all: their sender and status are looked at here. */
function isSentSo(row: Searched, { filter: { sender, statuses }, by }: WordSearch): boolean {
  return (
    (by === undefined || by.sent(row)) &&
    (sender === undefined || row.sender === sender) &&
    (statuses === undefined || statuses.includes(row.status))
  )
}

function mostOf(search: WordSearch, limits: SearchLimits): number {
  const { words, wordsOfAKey, wordsOfARecipient } = limits
  const { recipient, sender, statuses } = search.filter
  if (isOfOthers(search)) return words
  if (recipient !== undefined) return wordsOfARecipient
  return sender === undefined && statuses === undefined ? words : wordsOfAKey
}

/** Upper and lower case are the same, and so are different ways to store one letter. */
function folded(text: string): string {
  return text.normalize('NFKC').toLowerCase()
}

/** The messages of a stretch, newest first: what the ranges find, merged. */
async function* newestOf(
  database: Replica,
  ranges: readonly IndexRange[],
  { most, slice, ...stretch }: Stretch & { most: number; slice: number },
): AsyncGenerator<Searched> {
  const part = Math.min(slice, Math.ceil(most / ranges.length))
  const scans = ranges.map((range) => new Scan(database, range, stretch, inOne(range) ? most : part))
  let before: Ticket | undefined
  for (;;) {
    let newest: Scan | undefined
    for (const scan of scans) {
      if (scan.needsMore()) await scan.readOn()
      if (isNewer(scan.head(), newest?.head())) newest = scan
    }
    const row = newest?.take()
    if (!row) return
    // A message that became final between two reads was read twice.
    if (row.id !== before) yield row
    before = row.id
  }
}

/**
 * Whether a range is read at once. Open messages are, before final ones: one that becomes final meanwhile would otherwise
 * be in neither. A recipient's are sorted for each read.
 */
function inOne({ kind }: IndexRange): boolean {
  return kind === 'open' || kind === 'runs'
}

function isNewer(row: Searched | undefined, than: Searched | undefined): boolean {
  return row !== undefined && (than === undefined || newestFirst(row, than) < 0)
}

/** A range that is read slice by slice. */
class Scan {
  readonly #database: Replica
  readonly #range: IndexRange
  readonly #until: Position | undefined
  /** Rows for each read. */
  readonly #limit: number
  #rows: Searched[] = []
  #next = 0
  #from: Position | undefined
  #ended = false

  constructor(database: Replica, range: IndexRange, { after, until }: Stretch, limit: number) {
    this.#database = database
    this.#range = range
    this.#until = until
    this.#limit = limit
    this.#from = after
  }

  needsMore(): boolean {
    return this.#next === this.#rows.length && !this.#ended
  }

  async readOn(): Promise<void> {
    const page = { after: this.#from, until: this.#until, limit: this.#limit }
    this.#rows = await this.#database.read((tx) => readRange(tx, this.#range, page, textsOf))
    this.#next = 0
    this.#ended = this.#rows.length < this.#limit
    const last = this.#rows.at(-1)
    if (last) this.#from = { at: last.createdAt, id: last.id }
    await new Promise(setImmediate)
  }

  head(): Searched | undefined {
    return this.#rows[this.#next]
  }

  take(): Searched | undefined {
    return this.#rows[this.#next++]
  }
}

async function textsOf(
  tx: Tx,
  range: IndexRange,
  { limit, ...stretch }: Stretch & { limit: number },
): Promise<Searched[]> {
  const { messages } = tx.t
  const { id, createdAt, recipient, content, reference, sender, status, sentBy } = messages
  return tx.db
    .select({ id, createdAt, recipient, content, reference, sender, status, sentBy })
    .from(messages)
    .where(rowsOf(tx, range, stretch))
    .orderBy(desc(createdAt), desc(id))
    .limit(limit)
}

async function messagesWith(tx: Tx, walletId: string, ids: readonly Ticket[]): Promise<MessageRow[]> {
  const { messages } = tx.t
  if (ids.length === 0) return []
  const rows = await tx.db
    .select()
    .from(messages)
    .where(and(inArray(messages.id, [...ids]), eq(messages.walletId, walletId)))
  return rows.sort(newestFirst)
}
