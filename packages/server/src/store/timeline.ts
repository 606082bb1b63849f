import { asc, eq } from 'drizzle-orm'
import type { Connection } from './database.ts'
import type { MessageRow } from './messages.ts'
import type { Tables } from './schema.ts'

/** The records that tell what happened to a message. */
export interface TimelineSource {
  message: MessageRow
  lateReceipts: Tables['lateReceipts']['$inferSelect'][]
  attempts: Tables['callbackAttempts']['$inferSelect'][]
}

/** A message under way has its submission still in the outbox, from where it moves when the message is final. */
export async function timelineSource({ db, t }: Connection, message: MessageRow): Promise<TimelineSource> {
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
  }
}
