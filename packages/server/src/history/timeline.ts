import { asc, eq } from 'drizzle-orm'
import { failureReasonOf } from '../domain/failure-reasons.ts'
import type { MessageRow } from '../messages/index.ts'
import type { Tx } from '../platform/database/database.ts'
import type { JobKind, Tables } from '../platform/database/schema.ts'

/** One event in the life of a message. */
export interface TimelineEntry {
  at: number
  event: string
  detail?: string
}

/** The recorded events of a message, in order. */
export function timelineOf({ message, lateReceipts, attempts }: TimelineSource): TimelineEntry[] {
  const { status, createdAt, sendAt, dueAt, submittedAt, effectedAt } = message
  const entries: TimelineEntry[] = [{ at: createdAt, event: sendAt === 0 ? 'accepted' : 'scheduled' }]
  if (dueAt > 0) entries.push({ at: dueAt, event: 'due' })
  if (submittedAt > 0) entries.push({ at: submittedAt, event: 'submitted' })
  const detail = failureReasonOf(message)
  if (status !== 'pending' && status !== 'scheduled') {
    entries.push({
      at: effectedAt,
      event: status,
      ...(detail === undefined ? {} : { detail }),
    })
  }
  for (const { receivedAt, status } of lateReceipts) {
    entries.push({ at: receivedAt, event: 'receipt', detail: `${status}, after the message was final` })
  }
  for (const { startedAt, latencyMs, httpStatus, errorClass } of attempts) {
    const delivered = errorClass === null
    entries.push({
      at: startedAt + latencyMs,
      event: delivered ? 'callback_delivered' : 'callback_failed',
      detail: httpStatus === null ? String(errorClass) : `answered ${httpStatus}`,
    })
  }
  return entries.sort((a, b) => a.at - b.at)
}

/** The records that a timeline is built from. */
export interface TimelineSource {
  message: MessageRow
  lateReceipts: Tables['lateReceipts']['$inferSelect'][]
  attempts: Tables['callbackAttempts']['$inferSelect'][]
  waiting: Waiting | undefined
}

/** What a message that is not final waits for. */
export interface Waiting {
  /** `scheduled`: its time. `dispatch`: to be handed to a carrier. `await`: the carrier's receipt. */
  for: JobKind
  /** Undefined before one is chosen. */
  carrier: string | undefined
  expiresAt: number
}

/** Reads the records of a message. Until it is final, its submission is in the outbox, then in the message. */
export async function timelineSource({ db, t }: Tx, message: MessageRow): Promise<TimelineSource> {
  const [job] = await db.select().from(t.outbox).where(eq(t.outbox.id, message.id))
  const lateReceipts = await db
    .select()
    .from(t.lateReceipts)
    .where(eq(t.lateReceipts.messageId, message.id))
    .orderBy(asc(t.lateReceipts.receivedAt))
  const rows = await db
    .select({ attempt: t.callbackAttempts })
    .from(t.callbackAttempts)
    .innerJoin(t.callbacks, eq(t.callbacks.id, t.callbackAttempts.callbackId))
    .where(eq(t.callbacks.messageId, message.id))
    .orderBy(asc(t.callbackAttempts.startedAt), asc(t.callbackAttempts.seq))
  return {
    message: { ...message, submittedAt: message.submittedAt || (job?.submittedAt ?? 0) },
    lateReceipts,
    attempts: rows.map(({ attempt }) => attempt),
    waiting: job && { for: job.kind, carrier: job.lane || undefined, expiresAt: job.expiresAt },
  }
}
