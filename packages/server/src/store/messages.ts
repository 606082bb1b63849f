import { and, eq } from 'drizzle-orm'
import type { EpochMs, Ticket } from '../domain/ids.ts'
import type { FinalStatus, Status } from '../domain/message.ts'
import type { Micros } from '../domain/money.ts'
import type { Connection } from './database.ts'
import { inChunks, insertRows, placeholders, updateRows } from './rows.ts'
import type { Tables } from './schema.ts'
import { senderKey } from './search-keys.ts'

export type MessageRow = Tables['messages']['$inferSelect']

const NEW = [
  'id',
  'accountId',
  'walletId',
  'sender',
  'recipient',
  'content',
  'reference',
  'callbackUrl',
  'status',
  'encoding',
  'segments',
  'country',
  'network',
  'price',
  'balanceBefore',
  'balanceAfter',
  'createdAt',
  'sendAt',
  'effectedAt',
] as const satisfies readonly (keyof MessageRow)[]

/** A message as it is accepted. What comes later has its default until then. */
export type NewMessage = Pick<MessageRow, (typeof NEW)[number]>

export function insertMessages(connection: Connection, rows: readonly NewMessage[]): Promise<void> {
  return insertRows(connection, connection.t.messages, rows, NEW)
}

/** One message of an account. Another account's message is no different from one that does not exist. */
export async function findMessage(
  { db, t }: Connection,
  accountId: string,
  id: string,
): Promise<MessageRow | undefined> {
  const [row] = await db
    .select()
    .from(t.messages)
    .where(and(eq(t.messages.id, id as Ticket), eq(t.messages.accountId, accountId)))
  return row
}

/** What a carrier needs to know of a message. */
export interface OutgoingMessage {
  id: Ticket
  sender: string
  recipient: string
  content: string
  encoding: MessageRow['encoding']
}

export async function outgoingMessages(
  { run }: Connection,
  ids: readonly string[],
): Promise<OutgoingMessage[]> {
  const found: OutgoingMessage[] = []
  await inChunks(ids, async (chunk) => {
    const rows = await run<OutgoingMessage>(
      `SELECT id, sender, recipient, content, encoding FROM messages
       WHERE id IN ${placeholders(1, chunk.length)} AND status = 'pending'`,
      chunk,
    )
    found.push(...rows)
  })
  return found
}

/** A message that is about to become final. */
export interface UnsettledMessage {
  id: Ticket
  accountId: string
  walletId: string
  country: string
  network: string | null
  createdAt: EpochMs
  sender: string
  recipient: string
  callbackUrl: string | null
  status: Status
  price: Micros
}

export async function unsettledMessages(
  { run }: Connection,
  ids: readonly Ticket[],
): Promise<Map<Ticket, UnsettledMessage>> {
  const found = new Map<Ticket, UnsettledMessage>()
  await inChunks(ids, async (chunk) => {
    const rows = await run<UnsettledMessage>(
      `SELECT id, account_id AS "accountId", wallet_id AS "walletId", country, network, created_at AS "createdAt",
         sender, recipient, callback_url AS "callbackUrl", status, price
       FROM messages WHERE id IN ${placeholders(1, chunk.length)}`,
      chunk,
    )
    for (const row of rows) found.set(row.id, row)
  })
  return found
}

/** Those of the messages that no other transaction holds locked, nor their wallets. Waits for none. */
export async function freeMessages({ run, locks }: Connection, ids: readonly Ticket[]): Promise<Set<Ticket>> {
  const free = new Set<Ticket>()
  await inChunks(ids, async (chunk) => {
    const rows = await run<{ id: Ticket }>(
      `SELECT messages.id FROM messages JOIN wallets ON wallets.id = messages.wallet_id
       WHERE messages.id IN ${placeholders(1, chunk.length)} ${locks.skipLocked}`,
      chunk,
    )
    for (const { id } of rows) free.add(id)
  })
  return free
}

/** How a message ended. */
export interface Settlement {
  message: UnsettledMessage
  recipientKey: number
  status: FinalStatus
  cost: Micros
  balanceBefore: Micros
  balanceAfter: Micros
  effectedAt: EpochMs
  submittedAt: number
  carrierRef: string | null
  failureReason: string | null
}

/** Makes scheduled messages pending, unless someone has cancelled them meanwhile. Returns those that are due now. */
export async function markDue(
  { run }: Connection,
  ids: readonly string[],
  now: EpochMs,
): Promise<Pick<UnsettledMessage, 'id' | 'walletId' | 'country' | 'network' | 'createdAt'>[]> {
  const due: Pick<UnsettledMessage, 'id' | 'walletId' | 'country' | 'network' | 'createdAt'>[] = []
  await inChunks(ids, async (chunk) => {
    const rows = await run<UnsettledMessage>(
      `UPDATE messages SET status = 'pending', due_at = CAST($1 AS BIGINT)
       WHERE status = 'scheduled' AND id IN ${placeholders(1, chunk.length, undefined, 1)}
       RETURNING id, wallet_id AS "walletId", country, network, created_at AS "createdAt"`,
      [now, ...chunk],
    )
    due.push(...rows)
  })
  return due
}

export function settleMessages(connection: Connection, settlements: readonly Settlement[]): Promise<void> {
  const rows = settlements.map(({ message: { id, walletId, sender }, ...settled }) => ({
    ...settled,
    id,
    senderKey: senderKey(walletId, sender, settled.status),
  }))
  return updateRows(connection, connection.t.messages, rows, SETTLED)
}

const SETTLED = {
  by: ['id'],
  set: [
    'status',
    'cost',
    'balanceBefore',
    'balanceAfter',
    'effectedAt',
    'submittedAt',
    'carrierRef',
    'failureReason',
    'recipientKey',
    'senderKey',
  ],
} as const
