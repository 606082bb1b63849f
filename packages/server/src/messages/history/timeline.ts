import { asc, eq } from 'drizzle-orm'
import type { EpochMs } from '../../kernel/ids.ts'
import { failureReasonOf, isFinal } from '../../kernel/message.ts'
import type { Tx } from '../../store/database.ts'
import type { JobKind, Tables } from '../../store/schema/schema.ts'
import type { MessageRow } from '../index.ts'

/** One event in the life of a message. */
export interface TimelineEntry {
  at: number
  event: string
  detail?: string
}

/** Shown to the customer while the carrier has not said whether it took the message. */
const UNCONFIRMED =
  "Handed to the carrier, which has not confirmed it. It is not sent again, so that it can't arrive twice."

/** The recorded events of a message, in order. */
export function timelineOf({ message, lateReceipts, attempts, waiting }: TimelineSource): TimelineEntry[] {
  const { status, createdAt, sendAt, dueAt, submittedAt, effectedAt } = message
  const entries: TimelineEntry[] = [{ at: createdAt, event: sendAt === 0 ? 'accepted' : 'scheduled' }]
  if (dueAt > 0) entries.push({ at: dueAt, event: 'due' })
  if (submittedAt > 0) entries.push({ at: submittedAt, event: 'submitted' })
  else if (waiting?.unconfirmedSince !== undefined)
    entries.push({ at: waiting.unconfirmedSince, event: 'submitted', detail: UNCONFIRMED })
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
  waiting: WaitingFor | undefined
  /** The carrier's references, with blanks between them. */
  carrierRef: string | null
}

/** The next step of a message that is not final. */
export interface WaitingFor {
  /** `scheduled`: its time. `dispatch`: to be handed to a carrier. `await`: the carrier's receipt. */
  for: JobKind
  /** Undefined before one is chosen. */
  carrier: string | undefined
  /** When it was handed to a carrier that never said whether it took it; undefined for any other message. */
  unconfirmedSince: number | undefined
  /** How often a carrier did not take it; since one has it, how often that was asked about it. */
  attempts: number
  /** When it is looked at next, unless a process works on it now. */
  nextAt: number | undefined
  expiresAt: number
}

/**
 * Reads the records of a message. Until it is final, its submission is in the outbox, then in the message. That is read last:
 * of one that ends meanwhile, nothing is shown that comes after an end without the end.
 */
export async function timelineSource(
  { db, t }: Tx,
  known: MessageRow,
  now: EpochMs,
): Promise<TimelineSource> {
  const [job] = await db.select().from(t.outbox).where(eq(t.outbox.id, known.id))
  const lateReceipts = await db
    .select()
    .from(t.lateReceipts)
    .where(eq(t.lateReceipts.messageId, known.id))
    .orderBy(asc(t.lateReceipts.receivedAt))
  const rows = await db
    .select({ attempt: t.callbackAttempts })
    .from(t.callbackAttempts)
    .innerJoin(t.callbacks, eq(t.callbacks.id, t.callbackAttempts.callbackId))
    .where(eq(t.callbacks.messageId, known.id))
    .orderBy(asc(t.callbackAttempts.startedAt), asc(t.callbackAttempts.seq))
  const [message = known] = await db.select().from(t.messages).where(eq(t.messages.id, known.id))
  return {
    message: { ...message, submittedAt: message.submittedAt || (job?.submittedAt ?? 0) },
    lateReceipts,
    attempts: rows.map(({ attempt }) => attempt),
    waiting: job && !isFinal(message.status) ? waitingFor(job, now) : undefined,
    carrierRef: message.carrierRef ?? job?.carrierRef ?? null,
  }
}

function waitingFor(job: Tables['outbox']['$inferSelect'], now: EpochMs): WaitingFor {
  const { kind, lane, submittedAt, handedAt, leaseUntil, attempts, runAt, expiresAt } = job
  const isHeld = leaseUntil > now
  return {
    for: kind,
    carrier: lane || undefined,
    unconfirmedSince: kind === 'await' && submittedAt === 0 && !isHeld ? handedAt || undefined : undefined,
    attempts,
    nextAt: isHeld ? undefined : runAt,
    expiresAt,
  }
}
