import { toDecimal } from '@wigwag/contract'
import { eq } from 'drizzle-orm'
import { enqueue, NOBODY, UNCLAIMED } from '../../flow/jobs/outbox.ts'
import type { EpochMs } from '../../kernel/ids.ts'
import { instant } from '../../net/server/paging.ts'
import type { Tx } from '../../store/database.ts'
import { insertRows } from '../../store/rows.ts'
import type { Tables } from '../../store/schema/schema.ts'

type LowWalletEvent = Tables['lowWalletEvents']['$inferSelect']
type PersonEvent = Tables['personEvents']['$inferSelect']
export type AlertEvent = Tables['alertEvents']['$inferSelect']

/** Events are posted like callbacks, but in a lane of their own: neither waits for the other. */
export const LANE = { kind: 'callback', lane: 'operator' } as const

/** Stores events of wallets, each with the job that posts it. */
export async function insertLowWalletEvents(tx: Tx, events: readonly LowWalletEvent[]): Promise<void> {
  await insertRows(tx, tx.t.lowWalletEvents, events)
  await enqueuePosts(tx, events)
}

/** Stores events of people, each with the job that posts it. */
export async function insertPersonEvents(tx: Tx, events: readonly PersonEvent[]): Promise<void> {
  await insertRows(tx, tx.t.personEvents, events)
  await enqueuePosts(tx, events)
}

/** Stores events of alerts, each with the job that posts it. */
export async function insertAlertEvents(tx: Tx, events: readonly AlertEvent[]): Promise<void> {
  await insertRows(tx, tx.t.alertEvents, events)
  await enqueuePosts(tx, events)
}

function enqueuePosts(tx: Tx, events: readonly { id: string; createdAt: EpochMs }[]): Promise<void> {
  const job = { ...LANE, owner: NOBODY, ...UNCLAIMED, expiresAt: 0 }
  return enqueue(
    tx,
    events.map(({ id, createdAt }) => ({ ...job, id, runAt: createdAt })),
  )
}

/** An event to post. */
export interface DueEvent {
  id: string
  type: 'wallet.low' | PersonEvent['type'] | AlertEvent['type']
  createdAt: EpochMs
  /** Of the account that it is about, if it is about one. */
  accountId: string | undefined
  /** Of that account; undefined where the event's own words have it. */
  name: string | undefined
  data: Record<string, unknown>
}

export async function dueEvent(tx: Tx, id: string): Promise<DueEvent | undefined> {
  return (await dueLowWallet(tx, id)) ?? (await duePersonEvent(tx, id)) ?? (await dueAlertEvent(tx, id))
}

async function dueLowWallet({ run }: Tx, id: string): Promise<DueEvent | undefined> {
  const [row] = await run<LowWalletEvent & { accountId: string; name: string; currency: string }>(
    `SELECT e.id, e.wallet_id AS "walletId", e.available, e.threshold, e.created_at AS "createdAt",
       w.currency, a.id AS "accountId", a.name
     FROM low_wallet_events e JOIN wallets w ON w.id = e.wallet_id JOIN accounts a ON a.id = w.account_id
     WHERE e.id = $1`,
    [id],
  )
  if (!row) return undefined
  const { createdAt, accountId, name, walletId, currency, available, threshold } = row
  const amounts = { balance: toDecimal(available), threshold: toDecimal(threshold) }
  return { id, type: 'wallet.low', createdAt, accountId, name, data: { walletId, currency, ...amounts } }
}

async function duePersonEvent({ run }: Tx, id: string): Promise<DueEvent | undefined> {
  const [row] = await run<PersonEvent & { name: string; email: string }>(
    `SELECT e.type, e.account_id AS "accountId", e.person_id AS "personId", e.factor, e.created_at AS "createdAt",
       a.name, p.email
     FROM person_events e JOIN accounts a ON a.id = e.account_id JOIN people p ON p.id = e.person_id
     WHERE e.id = $1`,
    [id],
  )
  if (!row) return undefined
  const { type, createdAt, accountId, name, personId, email, factor } = row
  return { id, type, createdAt, accountId, name, data: { personId, email, factor } }
}

async function dueAlertEvent({ db, t }: Tx, id: string): Promise<DueEvent | undefined> {
  const [row] = await db.select().from(t.alertEvents).where(eq(t.alertEvents.id, id))
  if (!row) return undefined
  const { type, createdAt, accountId, key, state, text, seenAt, goneAt } = row
  const until = goneAt === null ? {} : { until: instant(goneAt) }
  const data = { key, state, text, since: instant(seenAt), ...until }
  return { id, type, createdAt, accountId: accountId ?? undefined, name: undefined, data }
}

export async function deleteEvent({ run }: Tx, id: string): Promise<void> {
  await run('DELETE FROM low_wallet_events WHERE id = $1', [id])
  await run('DELETE FROM person_events WHERE id = $1', [id])
  await run('DELETE FROM alert_events WHERE id = $1', [id])
}

/** The body of an event, in the form that Standard Webhooks suggests. Built the same at each attempt. */
export function eventPayload({ type, createdAt, accountId, name, data }: DueEvent): string {
  return JSON.stringify({ type, timestamp: instant(createdAt), data: { accountId, name, ...data } })
}
