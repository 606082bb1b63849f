import { type Micros, toDecimal } from '@wigwag/contract'
import type { components } from '@wigwag/contract/openapi'
import { and, eq, inArray } from 'drizzle-orm'
import type { EpochMs, Ticket } from '../kernel/ids.ts'
import type { FinalStatus, OutgoingMessage, Status } from '../kernel/message.ts'
import { type Recipient, recipientOf } from '../kernel/phone/phone.ts'
import type { Principal } from '../kernel/principal.ts'
import { instant } from '../net/server/paging.ts'
import type { Tx } from '../store/database.ts'
import { inChunks, insertRows, placeholders, updateRows } from '../store/rows.ts'
import type { Tables } from '../store/schema/schema.ts'
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
  'sentBy',
] as const satisfies readonly (keyof MessageRow)[]

/** A message when it is accepted. Columns that are filled later start at their defaults. */
export type NewRow = Pick<MessageRow, (typeof NEW)[number]>

export interface NewMessage extends NewRow {
  to: Recipient
}

export function insertMessages(tx: Tx, rows: readonly NewRow[]): Promise<void> {
  return insertRows(tx, tx.t.messages, rows, NEW)
}

/** One message of an account. Another account's message counts as not found. */
export async function findMessage(
  { db, t }: Tx,
  accountId: string,
  id: string,
): Promise<MessageRow | undefined> {
  const [row] = await db
    .select()
    .from(t.messages)
    .where(and(eq(t.messages.id, id as Ticket), eq(t.messages.accountId, accountId)))
  return row
}

/** The wallet's messages with these ids. */
export async function findMessages(
  { db, t: { messages } }: Tx,
  walletId: string,
  ids: readonly Ticket[],
): Promise<MessageRow[]> {
  if (ids.length === 0) return []
  return db
    .select()
    .from(messages)
    .where(and(eq(messages.walletId, walletId), inArray(messages.id, [...ids])))
}

/** The messages with these ids, as a carrier gets them. */
export async function outgoingMessages({ run }: Tx, ids: readonly string[]): Promise<OutgoingMessage[]> {
  const found: OutgoingMessage[] = []
  await inChunks(ids, async (chunk) => {
    const rows = await run<Omit<OutgoingMessage, 'to'> & { recipient: string }>(
      `SELECT id, account_id AS "accountId", sender, recipient, content, encoding, segments, country, network,
         created_at AS "createdAt" FROM messages
       WHERE id IN ${placeholders(1, chunk.length)} AND status = 'pending'`,
      chunk,
    )
    for (const { recipient, ...row } of rows) found.push({ ...row, to: recipientOf(recipient) })
  })
  return found
}

/** A message that is about to become final. */
export interface OpenMessage {
  id: Ticket
  accountId: string
  walletId: string
  country: string
  network: string | null
  createdAt: EpochMs
  sender: string
  recipient: string
  reference: string
  callbackUrl: string | null
  status: Status
  price: Micros
}

/** The messages with these ids that are not final yet. */
export async function openMessages({ run }: Tx, ids: readonly Ticket[]): Promise<Map<Ticket, OpenMessage>> {
  const found = new Map<Ticket, OpenMessage>()
  await inChunks(ids, async (chunk) => {
    const rows = await run<OpenMessage>(
      `SELECT id, account_id AS "accountId", wallet_id AS "walletId", country, network, created_at AS "createdAt",
         sender, recipient, reference, callback_url AS "callbackUrl", status, price
       FROM messages WHERE id IN ${placeholders(1, chunk.length)}`,
      chunk,
    )
    for (const row of rows) found.set(row.id, row)
  })
  return found
}

/** The messages that are not locked and whose wallets are not locked. Does not wait for locks. */
export async function freeMessages({ run, locks }: Tx, ids: readonly Ticket[]): Promise<Set<Ticket>> {
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
  message: OpenMessage
  recipientKey: number
  status: FinalStatus
  cost: Micros
  balanceBefore: Micros
  balanceAfter: Micros
  effectedAt: EpochMs
  submittedAt: number
  carrier: string | null
  carrierRef: string | null
  failureReason: string | null
}

/** Makes scheduled messages pending unless they were cancelled meanwhile. Returns those that are due now. */
export async function markDue(
  { run }: Tx,
  ids: readonly string[],
  now: EpochMs,
): Promise<Pick<OpenMessage, 'id' | 'walletId' | 'country' | 'network' | 'createdAt'>[]> {
  const due: Pick<OpenMessage, 'id' | 'walletId' | 'country' | 'network' | 'createdAt'>[] = []
  await inChunks(ids, async (chunk) => {
    const rows = await run<OpenMessage>(
      `UPDATE messages SET status = 'pending', due_at = CAST($1 AS BIGINT)
       WHERE status = 'scheduled' AND id IN ${placeholders(1, chunk.length, undefined, 1)}
       RETURNING id, wallet_id AS "walletId", country, network, created_at AS "createdAt"`,
      [now, ...chunk],
    )
    due.push(...rows)
  })
  return due
}

/** Makes messages final. */
export function settleMessages(tx: Tx, settlements: readonly Settlement[]): Promise<void> {
  const rows = settlements.map(({ message: { id, walletId, sender }, ...settled }) => ({
    ...settled,
    id,
    senderKey: senderKey(walletId, sender, settled.status),
  }))
  return updateRows(tx, tx.t.messages, rows, SETTLED)
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
    'carrier',
    'carrierRef',
    'failureReason',
    'recipientKey',
    'senderKey',
  ],
} as const

/** The columns that a message gets when it is final. */
export type EndColumn = (typeof SETTLED.set)[number]

/** The number of messages in progress without a job that would finish them. */
export async function countForgotten({ run }: Tx): Promise<number> {
  const [row] = await run<{ count: number }>(
    `SELECT count(*) AS count FROM messages m WHERE m.status IN ('pending', 'scheduled')
       AND NOT EXISTS (SELECT 1 FROM outbox o WHERE o.id = m.id)`,
    [],
  )
  return row?.count ?? 0
}

/** A message in the API's field names. */
export function transaction(
  message: Omit<MessageRow, 'failureReason'>,
): components['schemas']['Transaction'] {
  return {
    Type: 'SMS',
    MessageId: message.id,
    Status: message.status,
    Content: message.content,
    To: message.recipient,
    From: message.sender,
    Reference: message.reference,
    Cost: toDecimal(message.cost),
    DateCreated: instant(message.createdAt),
    EffectedAt: instant(message.effectedAt),
    BalanceBefore: toDecimal(message.balanceBefore),
    BalanceAfter: toDecimal(message.balanceAfter),
  }
}

/** Who sends messages: an API client, a person on a page, or an assistant. */
export type SentByKind = 'api' | 'person' | 'assistant'

/** Senders by prefix of `sent_by`. Programs that use the tools with API credentials count as assistants. */
const KINDS: Readonly<Record<string, SentByKind>> = {
  client: 'api',
  person: 'person',
  connection: 'assistant',
  tools: 'assistant',
}

/** The caller, as the messages that it sends name it. Names are looked up when they are read, so they may change. */
export function sentByOf({ person, connection, forTools, clientId }: Principal): string {
  if (person !== undefined) return `person:${person}`
  if (connection) return `connection:${connection.id}`
  return `${forTools ? 'tools' : 'client'}:${clientId}`
}

/** The parts of `sent_by`; undefined for a message from before it was stored. */
export function readSentBy(sentBy: string | null): { kind: SentByKind; in: string; id: string } | undefined {
  const [, prefix = '', id = ''] = /^([a-z]+):(.+)$/s.exec(sentBy ?? '') ?? []
  const kind = KINDS[prefix]
  return kind && { kind, in: prefix, id }
}
