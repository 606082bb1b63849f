import { eq } from 'drizzle-orm'
import type { EpochMs, Ticket } from '../domain/ids.ts'
import type { Status } from '../domain/message.ts'
import type { MessageRow } from '../messages/index.ts'
import type { Database, Tx } from '../platform/database/database.ts'
import type { Position } from '../platform/http/wire.ts'
import { EVERYTHING, newestFirst } from './index-ranges.ts'
import { searchMessages } from './search.ts'

/** What an operator knows of a message. */
export type MessageAsked = { to: string } | { reference: string } | { ticket: string }

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

/** Where a search goes on: behind a wallet, or in it behind a message. */
export interface FindPlace {
  walletId: string
  after?: Position | undefined
}

export interface FindPage {
  /** The newest so many of each wallet. */
  limit: number
  from: FindPlace | undefined
}

export interface FoundPage {
  /** Of the wallets of this page, newest first. */
  messages: FoundMessage[]
  /** Undefined when all wallets were looked through. */
  next: FindPlace | undefined
}

/** The reads of one page. Each is bounded as a page of a customer's search is. */
const MOST_READS = 200

/**
 * Finds messages of all customers, or of one. No index serves that across wallets, so wallet after wallet is searched by
 * its own indexes: a page is bounded, and there are as many pages as there are hundreds of wallets.
 */
export async function findMessages(
  database: Database,
  asked: MessageAsked,
  accountId: string | undefined,
  { limit, from }: FindPage,
): Promise<FoundPage> {
  if ('ticket' in asked) {
    const row = await database.read((tx) => messageWith(tx, asked.ticket))
    const isIt = row && (accountId === undefined || row.accountId === accountId)
    return { messages: isIt ? [foundOf(row)] : [], next: undefined }
  }
  const filter = {
    ...EVERYTHING,
    recipient: 'to' in asked ? asked.to : undefined,
    reference: 'reference' in asked ? asked.reference : undefined,
  }
  const found = new Map<Ticket, MessageRow>()
  let place = from
  for (let reads = 0; ; reads++) {
    const walletId = place?.after
      ? place.walletId
      : await database.read((tx) => walletAfter(tx, place, accountId))
    if (walletId === undefined) return { messages: listed(found), next: undefined }
    if (reads === MOST_READS) return { messages: listed(found), next: place }
    const after = place?.after
    // These filters need no list of senders: see `rangesFor`.
    const scope = { walletId, senders: [] }
    const { rows, stoppedAt } = await database.read((tx) =>
      searchMessages(tx, scope, filter, { after, limit }),
    )
    for (const row of rows) found.set(row.id, row)
    place = { walletId, after: stoppedAt }
  }
}

/** A message of any account. */
export async function messageWith({ db, t }: Tx, ticket: string): Promise<MessageRow | undefined> {
  const [row] = await db
    .select()
    .from(t.messages)
    .where(eq(t.messages.id, ticket as Ticket))
  return row
}

async function walletAfter(
  { run }: Tx,
  place: FindPlace | undefined,
  accountId: string | undefined,
): Promise<string | undefined> {
  const after = place?.walletId ?? ''
  const [row] = await run<{ id: string }>(
    accountId === undefined
      ? 'SELECT id FROM wallets WHERE id > $1 ORDER BY id LIMIT 1'
      : 'SELECT id FROM wallets WHERE id > $1 AND account_id = $2 ORDER BY id LIMIT 1',
    accountId === undefined ? [after] : [after, accountId],
  )
  return row?.id
}

function listed(found: ReadonlyMap<Ticket, MessageRow>): FoundMessage[] {
  return [...found.values()].sort(newestFirst).map(foundOf)
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
