import { eq, inArray } from 'drizzle-orm'
import type { EpochMs, Ticket } from '../domain/ids.ts'
import type { Status } from '../domain/message.ts'
import { lastDigitsOf, phoneOf } from '../domain/phone/phone.ts'
import { type MessageRow, walletsTo } from '../messages/index.ts'
import type { Database, Tx } from '../platform/database/database.ts'
import type { Position } from '../platform/http/paging.ts'
import { EVERYTHING, type MessageFilter, newestFirst } from './index-ranges.ts'
import { searchMessages } from './search.ts'

/** What an operator knows of a message. Of several things, one must be right; of none, every message of an account is found. */
export interface MessageAsked {
  to?: string
  reference?: string
  ticket?: string
  /** What a carrier calls it, which is known while the message is under way. */
  carrierReference?: string
}

/** A message as a list for operators shows it: without its text. */
export interface FoundMessage {
  ticket: Ticket
  accountId: string
  sender: string
  recipient: string
  reference: string
  status: Status
  createdAt: EpochMs
}

export interface FindPage {
  limit: number
  /** Where the page before ended. */
  after: Position | undefined
}

export interface FoundPage {
  /** Newest first. */
  messages: FoundMessage[]
  /** Where the next page begins, though this one may not be full; undefined on the last page. */
  next: Position | undefined
}

/** How far a search has come. */
interface Gathered {
  rows: Map<Ticket, MessageRow>
  /** The newest place at which one of the searches stopped: what is older was not looked at in full. */
  stoppedAt: Position | undefined
}

/**
 * Finds messages of all customers, or of one. No index serves that across wallets: it is first asked which wallets have
 * such a message, one look into an index each, and those alone are searched.
 */
export function findMessages(
  database: Database,
  asked: MessageAsked,
  accountId: string | undefined,
  { limit, after }: FindPage,
): Promise<FoundPage> {
  return database.read(async (tx) => {
    const gathered: Gathered = { rows: new Map(), stoppedAt: undefined }
    const wallets = await walletsWith(tx, accountId)
    const page = { after, limit: limit + 1 }
    for (const { filter, among } of searchesOf(tx, asked, accountId, wallets)) {
      for (const walletId of await among()) {
        // These filters need no list of senders: see `rangesFor`.
        gather(gathered, await searchMessages(tx, { walletId, senders: [] }, filter, page))
      }
    }
    for (const row of await named(tx, asked)) {
      const isAsked = accountId === undefined || row.accountId === accountId
      if (isAsked && (!after || isAfter(row, after))) gathered.rows.set(row.id, row)
    }
    return pageOf(gathered, limit)
  })
}

/** The filters to search by, and the wallets that may have such a message. */
function searchesOf(
  tx: Tx,
  { to, reference, ticket, carrierReference }: MessageAsked,
  accountId: string | undefined,
  wallets: readonly string[],
): { filter: MessageFilter; among(): Promise<readonly string[]> }[] {
  const searches = []
  const isOne = accountId !== undefined
  if (to !== undefined)
    searches.push({
      filter: { ...EVERYTHING, recipient: to },
      among: async () => (isOne ? wallets : walletsThatSentTo(tx, wallets, to)),
    })
  if (reference !== undefined)
    searches.push({
      filter: { ...EVERYTHING, reference },
      among: async () => (isOne ? wallets : walletsThatReferredTo(tx, reference)),
    })
  if (searches.length === 0 && isOne && ticket === undefined && carrierReference === undefined)
    searches.push({ filter: EVERYTHING, among: async () => wallets })
  return searches
}

function gather(
  gathered: Gathered,
  { rows, stoppedAt }: { rows: readonly MessageRow[]; stoppedAt: Position | undefined },
): void {
  for (const row of rows) gathered.rows.set(row.id, row)
  if (stoppedAt && (!gathered.stoppedAt || isAfter(placed(gathered.stoppedAt), stoppedAt)))
    gathered.stoppedAt = stoppedAt
}

function pageOf({ rows, stoppedAt }: Gathered, limit: number): FoundPage {
  const certain = [...rows.values()].filter((row) => !stoppedAt || !isAfter(row, stoppedAt)).sort(newestFirst)
  const messages = certain.slice(0, limit)
  const last = messages.at(-1)
  const next = certain.length > limit && last ? { at: last.createdAt, id: last.id } : (stoppedAt ?? undefined)
  return { messages: messages.map(foundOf), next }
}

/** Whether a message comes after a place in the order of lists. */
function isAfter(row: Pick<MessageRow, 'createdAt' | 'id'>, place: Position): boolean {
  return newestFirst(row, placed(place)) > 0
}

function placed({ at, id }: Position): Pick<MessageRow, 'createdAt' | 'id'> {
  return { createdAt: at as EpochMs, id: id as Ticket }
}

/** A message of any account. */
export async function messageWith({ db, t }: Tx, ticket: string): Promise<MessageRow | undefined> {
  const [row] = await db
    .select()
    .from(t.messages)
    .where(eq(t.messages.id, ticket as Ticket))
  return row
}

/** The messages that are meant by their ticket, or by their carrier's reference. */
async function named(tx: Tx, { ticket, carrierReference }: MessageAsked): Promise<MessageRow[]> {
  const tickets = ticket === undefined ? [] : [ticket as Ticket]
  if (carrierReference !== undefined) tickets.push(...(await ticketsOf(tx, carrierReference)))
  if (tickets.length === 0) return []
  const { db, t } = tx
  return db.select().from(t.messages).where(inArray(t.messages.id, tickets))
}

/** The messages under way that a carrier calls so, whichever it is. References are stored by carrier. */
async function ticketsOf({ run }: Tx, reference: string): Promise<Ticket[]> {
  const rows = await run<{ ticket: Ticket }>(
    `WITH RECURSIVE names (carrier) AS (
       SELECT min(carrier) FROM carrier_refs
       UNION ALL SELECT (SELECT min(carrier) FROM carrier_refs r WHERE r.carrier > names.carrier) FROM names
       WHERE names.carrier IS NOT NULL)
     SELECT r.message_id AS ticket FROM names JOIN carrier_refs r ON r.carrier = names.carrier AND r.ref = $1
     WHERE r.message_id IS NOT NULL`,
    [reference],
  )
  return rows.map(({ ticket }) => ticket)
}

async function walletsWith({ run }: Tx, accountId: string | undefined): Promise<string[]> {
  const all = 'SELECT id FROM wallets'
  const rows = await (accountId === undefined
    ? run<{ id: string }>(all, [])
    : run<{ id: string }>(`${all} WHERE account_id = $1`, [accountId]))
  return rows.map(({ id }) => id)
}

async function walletsThatSentTo(tx: Tx, wallets: readonly string[], to: string): Promise<string[]> {
  const phone = phoneOf(to)
  const open = await tx.run<{ id: string }>(
    `SELECT DISTINCT wallet_id AS id FROM messages WHERE sender_key IS NULL AND recipient LIKE $1`,
    [`%${lastDigitsOf(phone)}`],
  )
  return [...new Set([...open.map(({ id }) => id), ...(await walletsTo(tx, wallets, phone))])]
}

/** Each wallet is asked by itself: PostgreSQL would otherwise read all messages to join them. */
async function walletsThatReferredTo({ run }: Tx, reference: string): Promise<string[]> {
  const rows = await run<{ id: string }>(
    `SELECT DISTINCT wallet_id AS id FROM messages WHERE sender_key IS NULL AND reference = $1
     UNION SELECT id FROM wallets w WHERE (SELECT 1 FROM messages m WHERE m.wallet_id = w.id AND m.reference = $2
       AND m.reference <> '' AND m.sender_key IS NOT NULL LIMIT 1) = 1`,
    [reference, reference],
  )
  return rows.map(({ id }) => id)
}

function foundOf({
  id,
  accountId,
  sender,
  recipient,
  reference,
  status,
  createdAt,
}: MessageRow): FoundMessage {
  return { ticket: id, accountId, sender, recipient, reference, status, createdAt }
}
