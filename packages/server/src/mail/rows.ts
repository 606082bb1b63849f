import { eq } from 'drizzle-orm'
import { enqueue, NOBODY, UNCLAIMED } from '../flow/jobs/outbox.ts'
import type { Tx } from '../store/database.ts'
import { insertRows } from '../store/rows.ts'
import type { Tables } from '../store/schema/schema.ts'

export type MailRow = Tables['mails']['$inferSelect']

/** Mails are sent as callbacks are posted, but in lanes of their own: a mail server that is slow holds nothing else. */
export const LANES = {
  operator: { kind: 'callback', lane: 'mail' },
  // Of these there may be thousands at once, and those to the operator wait for none of them.
  people: { kind: 'callback', lane: 'mail to people' },
} as const

/** Stores mails, each with the job that sends it. */
export async function insertMails(tx: Tx, mails: readonly MailRow[], to: keyof typeof LANES): Promise<void> {
  await insertRows(tx, tx.t.mails, mails)
  const job = { ...LANES[to], owner: NOBODY, ...UNCLAIMED, expiresAt: 0 }
  await enqueue(
    tx,
    mails.map(({ id, createdAt }) => ({ ...job, id, runAt: createdAt })),
  )
}

export async function dueMail({ db, t }: Tx, id: string): Promise<MailRow | undefined> {
  const [row] = await db.select().from(t.mails).where(eq(t.mails.id, id))
  return row
}

export async function deleteMail({ db, t }: Tx, id: string): Promise<void> {
  await db.delete(t.mails).where(eq(t.mails.id, id))
}
