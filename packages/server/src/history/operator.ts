import { asc, eq, inArray } from 'drizzle-orm'
import { createOperatorAudit, type OperatorAuditOptions } from '../audit/index.ts'
import { type FailureReason, failureReasonOf } from '../domain/failure-reasons.ts'
import type { EpochMs } from '../domain/ids.ts'
import type { MessageRow } from '../messages/index.ts'
import type { Clock } from '../platform/clock.ts'
import type { Database, Replica, Tx } from '../platform/database/database.ts'
import type { Tables } from '../platform/database/schema.ts'
import { type FindPage, type FoundPage, findMessages, type MessageQuery, messageWith } from './find.ts'
import { type TimelineEntry, timelineOf, timelineSource, type Waiting } from './timeline.ts'

/** What an operator sees of messages of any customer. Each read is audited before it is answered. */
export interface OperatorMessages {
  /** A page of the messages that an operator asks for: of all customers, or of one. Its first page is audited. */
  find(asked: MessageQuery, accountId: string | undefined, page: FindPage): Promise<FoundPage>
  /** A message with all that happened to it; undefined when there is none. Its text is left out unless it is asked for. */
  show(ticket: string, options: { text: boolean }): Promise<FollowedMessage | undefined>
}

/** A message as an operator follows it. */
export interface FollowedMessage {
  message: Omit<MessageRow, 'content'>
  /** Undefined unless it was asked for. */
  content: string | undefined
  /** Null when the account was erased. */
  email: string | null
  currency: string
  /** The carrier that has it, had it or shall get it; undefined before one is chosen. */
  carrier: string | undefined
  /** The carrier's references, one for each part that it took. */
  references: readonly string[]
  /** When it was submitted; 0 when it was not. */
  submittedAt: number
  /** Why it failed, as its customer reads it. */
  failureReason: FailureReason | undefined
  timeline: TimelineEntry[]
  /** Undefined when it is final. */
  waiting: Waiting | undefined
  callbacks: FollowedCallback[]
}

export type CallbackAttempt = Tables['callbackAttempts']['$inferSelect']

/** A callback with its newest attempts. */
export type FollowedCallback = Pick<
  Tables['callbacks']['$inferSelect'],
  'id' | 'url' | 'state' | 'createdAt' | 'replayDay' | 'replays'
> & {
  attempts: CallbackAttempt[]
  nextAttemptAt: number | undefined
}

export interface OperatorMessagesParts extends OperatorAuditOptions {
  database: Database
  replica: Replica
  clock: Clock
  newId(now: EpochMs): string
}

export function createOperatorMessages(parts: OperatorMessagesParts): OperatorMessages {
  const { database, replica, clock } = parts
  const audit = createOperatorAudit(parts)
  return {
    async find(asked, accountId, page) {
      if (page.after === undefined) {
        const entry = { action: 'message.find', accountId: accountId ?? null, detail: { ...asked } } as const
        await database.write((tx) => audit(tx, entry))
      }
      return findMessages(replica, asked, accountId, page)
    },

    async show(ticket, { text }) {
      const found = await database.read((tx) => messageWith(tx, ticket))
      if (!found) return undefined
      const entry = { action: 'message.show', accountId: found.accountId } as const
      await database.write((tx) => audit(tx, { ...entry, detail: { ticket, text } }))
      return database.read((tx) => follow(tx, ticket, { text, now: clock.now() }))
    },
  }
}

async function follow(
  tx: Tx,
  ticket: string,
  { text, now }: { text: boolean; now: EpochMs },
): Promise<FollowedMessage | undefined> {
  const row = await messageWith(tx, ticket)
  if (!row) return undefined
  const source = await timelineSource(tx, row, now)
  const { content, ...message } = source.message
  const { waiting } = source
  const references = (source.carrierRef ?? '').split(' ').filter((ref) => ref !== '')
  return {
    message,
    content: text ? content : undefined,
    ...(await ownerOf(tx, row)),
    carrier: waiting ? waiting.carrier : (message.carrier ?? undefined),
    references,
    submittedAt: waiting?.unconfirmedSince ?? message.submittedAt,
    failureReason: failureReasonOf(message),
    timeline: timelineOf(source),
    waiting,
    callbacks: await callbacksOf(tx, row, source.attempts),
  }
}

async function ownerOf(
  { run }: Tx,
  { walletId }: MessageRow,
): Promise<{ email: string | null; currency: string }> {
  const [owner] = await run<{ email: string | null; currency: string }>(
    'SELECT a.email, w.currency FROM wallets w LEFT JOIN accounts a ON a.id = w.account_id WHERE w.id = $1',
    [walletId],
  )
  if (!owner) throw new Error(`there is no wallet ${walletId}`)
  return owner
}

async function callbacksOf(
  { db, t }: Tx,
  { id }: MessageRow,
  attempts: readonly CallbackAttempt[],
): Promise<FollowedCallback[]> {
  const rows = await db
    .select()
    .from(t.callbacks)
    .where(eq(t.callbacks.messageId, id))
    .orderBy(asc(t.callbacks.id))
  const ids = rows.map((row) => row.id)
  const jobs = ids.length === 0 ? [] : await db.select().from(t.outbox).where(inArray(t.outbox.id, ids))
  const due = new Map(jobs.map((job) => [job.id, job.runAt]))
  return rows.map(({ id, url, state, createdAt, replayDay, replays }) => ({
    ...{ id, url, state, createdAt, replayDay, replays, nextAttemptAt: due.get(id) },
    attempts: attempts.filter(({ callbackId }) => callbackId === id),
  }))
}
