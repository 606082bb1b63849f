import { eq } from 'drizzle-orm'
import { foldsOf, spellingsOf } from '../../kernel/carrier-reference.ts'
import type { EpochMs, Ticket } from '../../kernel/ids.ts'
import type { Status } from '../../kernel/message.ts'
import { lastDigitsOf, phoneOf } from '../../kernel/phone/phone.ts'
import type { Position } from '../../net/server/paging.ts'
import type { Replica, Tx, Value } from '../../store/database.ts'
import { bySize, inChunks, placeholders } from '../../store/rows.ts'
import { type MessageRow, walletsTo } from '../index.ts'
import { EVERYTHING, type MessageFilter, newestFirst } from './index-ranges.ts'
import { searchMessages } from './search.ts'

/** An operator's search: a message must match one of these. Without any, all of an account's match. */
export interface MessageQuery {
  to?: string
  reference?: string
  ticket?: string
  /** The carrier's reference: of any part while the message is under way, of all parts afterwards. */
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

type Row = Pick<
  MessageRow,
  'id' | 'accountId' | 'sender' | 'recipient' | 'reference' | 'status' | 'createdAt'
>

const COLUMNS =
  'id, account_id AS "accountId", sender, recipient, reference, status, created_at AS "createdAt"'

/** How far a search has come. */
interface Gathered {
  rows: Map<Ticket, Row>
  /** The newest place at which one of the searches stopped: what is older was not looked at in full. */
  stoppedAt: Position | undefined
}

/** A part of a list: the newest rows after a place. */
interface Stretch {
  limit: number
  after: Position | undefined
}

/**
 * Finds messages of all customers, or of one. No index serves that across wallets: of a number it is first asked which
 * wallets have sent to it, one look into an index each, and those alone are searched; of a reference each wallet is asked
 * for its newest messages in one statement.
 */
export function findMessages(
  database: Replica,
  asked: MessageQuery,
  accountId: string | undefined,
  { limit, after }: FindPage,
): Promise<FoundPage> {
  return database.read(async (tx) => {
    const gathered: Gathered = { rows: new Map(), stoppedAt: undefined }
    const page = { after, limit: limit + 1 }
    for (const { filter, among } of searchesOf(tx, asked, accountId)) {
      for (const walletId of await among()) {
        // These filters need no list of senders: see `rangesFor`.
        gather(gathered, await searchMessages(tx, { walletId, senders: [] }, filter, page))
      }
    }
    const isReferred = asked.reference !== undefined && accountId === undefined
    const referred = isReferred ? await referredTo(tx, asked.reference ?? '', page) : []
    for (const row of [...referred, ...(await named(tx, asked, accountId, page))]) {
      const isAsked = accountId === undefined || row.accountId === accountId
      if (isAsked && (!after || isAfter(row, after))) gathered.rows.set(row.id, row)
    }
    return pageOf(gathered, limit)
  })
}

/** The filters to search by, and the wallets that may have such a message. */
function searchesOf(
  tx: Tx,
  { to, reference, ticket, carrierReference }: MessageQuery,
  accountId: string | undefined,
): { filter: MessageFilter; among(): Promise<readonly string[]> }[] {
  const searches = []
  const isOne = accountId !== undefined
  const wallets = () => walletsWith(tx, accountId)
  if (to !== undefined)
    searches.push({
      filter: { ...EVERYTHING, recipient: to },
      among: async () => (isOne ? wallets() : walletsThatSentTo(tx, await wallets(), to)),
    })
  if (reference !== undefined && isOne)
    searches.push({ filter: { ...EVERYTHING, reference }, among: wallets })
  if (searches.length === 0 && isOne && ticket === undefined && carrierReference === undefined)
    searches.push({ filter: EVERYTHING, among: wallets })
  return searches
}

function gather(
  gathered: Gathered,
  { rows, stoppedAt }: { rows: readonly Row[]; stoppedAt: Position | undefined },
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
function isAfter(row: Pick<Row, 'createdAt' | 'id'>, place: Position): boolean {
  return newestFirst(row, placed(place)) > 0
}

function placed({ at, id }: Position): Pick<Row, 'createdAt' | 'id'> {
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
async function named(
  { run }: Tx,
  { ticket, carrierReference }: MessageQuery,
  accountId: string | undefined,
  { limit, after }: Stretch,
): Promise<Row[]> {
  const tickets = ticket === undefined ? [] : [ticket]
  if (carrierReference !== undefined) tickets.push(...(await ticketsOf(run, carrierReference)))
  const found: Row[] = []
  await inChunks(tickets, async (chunk) => {
    const ids = placeholders(1, chunk.length)
    found.push(...(await run<Row>(`SELECT ${COLUMNS} FROM messages WHERE id IN ${ids}`, chunk)))
  })
  if (carrierReference !== undefined) {
    const refs = spellingsOf(carrierReference)
    const values = [...refs, accountId ?? null, ...placeOf(after), limit]
    found.push(...(await run<Row>(called(refs.length), values)))
  }
  return found
}

/** The final messages that a carrier calls so, however it writes that. */
const called = bySize((refs) => {
  const [account, at, id, limit] = [1, 2, 3, 4].map((place) => `$${refs + place}`)
  return `SELECT ${COLUMNS} FROM messages
    WHERE carrier_ref IN ${placeholders(1, refs)} AND carrier_ref <> ''
      AND account_id = coalesce(${account}, account_id) AND (created_at, id) < (${at}, ${id})
    ORDER BY created_at DESC, id DESC LIMIT ${limit}`
})

/** The place from which to read; of none, one before everything. */
function placeOf(after: Position | undefined): [at: number, id: string] {
  return after ? [after.at, after.id] : [Number.MAX_SAFE_INTEGER, '']
}

/** The messages under way that a carrier calls so, whichever it is and however it writes that. */
async function ticketsOf(run: Tx['run'], reference: string): Promise<Ticket[]> {
  const folds = foldsOf(reference)
  const rows = await run<{ ticket: Ticket }>(underWay(folds.length), [...folds, ...folds])
  return rows.map(({ ticket }) => ticket)
}

/** References are stored by carrier. */
const underWay = bySize((folds) => {
  const refs = (column: string, taken: number) => `SELECT r.message_id AS ticket FROM names
     JOIN carrier_refs r ON r.carrier = names.carrier AND r.${column} IN ${placeholders(1, folds, undefined, taken)}
     WHERE r.message_id IS NOT NULL`
  return `WITH RECURSIVE names (carrier) AS (
       SELECT min(carrier) FROM carrier_refs
       UNION ALL SELECT (SELECT min(carrier) FROM carrier_refs r WHERE r.carrier > names.carrier) FROM names
       WHERE names.carrier IS NOT NULL)
     ${refs('ref', 0)} UNION ${refs('folded', folds)}`
})

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

/**
 * The newest messages with a customer's reference. Non-final messages are read through. For final ones, each
 * wallet that has some is asked by itself: PostgreSQL would otherwise read all messages to join them.
 */
async function referredTo({ run }: Tx, reference: string, { limit, after }: Stretch): Promise<Row[]> {
  const place = placeOf(after)
  const rows = await run<Row>(
    `SELECT ${COLUMNS} FROM messages WHERE sender_key IS NULL AND reference = $1
       AND (created_at, id) < ($2, $3)
     ORDER BY created_at DESC, id DESC LIMIT $4`,
    [reference, ...place, limit],
  )
  const wallets = await run<{ id: string }>(WALLETS_THAT_REFERRED, [reference])
  await inChunks(wallets, async (chunk) => {
    const values: Value[] = chunk.flatMap(({ id }) => [id, reference, ...place, limit])
    rows.push(...(await run<Row>(finalOfWallets(chunk.length), values)))
  })
  return rows
}

const WALLETS_THAT_REFERRED = `SELECT id FROM wallets w WHERE (SELECT 1 FROM messages m
  WHERE m.wallet_id = w.id AND m.reference = $1 AND m.reference <> '' AND m.sender_key IS NOT NULL LIMIT 1) = 1`

const finalOfWallets = bySize((wallets) =>
  Array.from({ length: wallets }, (_, index) => {
    const [wallet, reference, at, id, limit] = [1, 2, 3, 4, 5].map((place) => `$${index * 5 + place}`)
    return `SELECT * FROM (SELECT ${COLUMNS} FROM messages
      WHERE wallet_id = ${wallet} AND reference = ${reference} AND reference <> '' AND sender_key IS NOT NULL
        AND (created_at, id) < (${at}, ${id})
      ORDER BY created_at DESC, id DESC LIMIT ${limit}) AS newest_${index}`
  }).join(' UNION ALL '),
)

function foundOf({ id, accountId, sender, recipient, reference, status, createdAt }: Row): FoundMessage {
  return { ticket: id, accountId, sender, recipient, reference, status, createdAt }
}
