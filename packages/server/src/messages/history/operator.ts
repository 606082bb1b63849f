import { asc, eq, inArray } from 'drizzle-orm'
import type { Parts } from '../../flow/parts.ts'
import type { EpochMs } from '../../kernel/ids.ts'
import { type FailureReason, failureReasonOf } from '../../kernel/message.ts'
import type { Clock } from '../../kernel/process/clock.ts'
import { createOperatorAudit, type OperatorAuditOptions } from '../../store/audit/index.ts'
import type { Database, Replica, Tx } from '../../store/database.ts'
import type { Tables } from '../../store/schema/schema.ts'
import type { MessageRow } from '../index.ts'
import { type FindPage, type FoundPage, findMessages, type MessageQuery, messageWith } from './find.ts'
import { type TimelineEntry, timelineOf, timelineSource, type WaitingFor } from './timeline.ts'

/** Messages of any customer, for operators. Each read is audited before it is answered. */
export class OperatorMessages {
  readonly #database: Database
  readonly #replica: Replica
  readonly #clock: Clock
  readonly #audit: ReturnType<typeof createOperatorAudit>

  constructor(parts: OperatorAuditOptions & Pick<Parts, 'database' | 'replica' | 'clock'>) {
    this.#database = parts.database
    this.#replica = parts.replica
    this.#clock = parts.clock
    this.#audit = createOperatorAudit(parts)
  }

  /** A page of the messages that an operator asks for: of all customers, or of one. Its first page is audited. */
  async find(asked: MessageQuery, accountId: string | undefined, page: FindPage): Promise<FoundPage> {
    if (page.after === undefined) {
      const entry = { action: 'message.find', accountId: accountId ?? null, detail: { ...asked } } as const
      await this.#database.write((tx) => this.#audit(tx, entry))
    }
    return findMessages(this.#replica, asked, accountId, page)
  }

  /** A message with all that happened to it; undefined when there is none. Its text is left out unless it is asked for. */
  async show(ticket: string, { text }: { text: boolean }): Promise<FollowedMessage | undefined> {
    const found = await this.#database.read((tx) => messageWith(tx, ticket))
    if (!found) return undefined
    const entry = { action: 'message.show', accountId: found.accountId } as const
    await this.#database.write((tx) => this.#audit(tx, { ...entry, detail: { ticket, text } }))
    return this.#database.read((tx) => follow(tx, ticket, { text, now: this.#clock.now() }))
  }
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
  waiting: WaitingFor | undefined
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
    id,
    url,
    state,
    createdAt,
    replayDay,
    replays,
    nextAttemptAt: due.get(id),
    attempts: attempts.filter(({ callbackId }) => callbackId === id),
  }))
}
