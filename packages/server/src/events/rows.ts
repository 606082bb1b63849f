import { toDecimal } from '@wigwag/contract'
import type { Tx } from '../platform/database/database.ts'
import { insertRows } from '../platform/database/rows.ts'
import type { Tables } from '../platform/database/schema.ts'
import { instant } from '../platform/http/wire.ts'
import { enqueue, NOBODY, UNCLAIMED } from '../platform/jobs/outbox.ts'

type EventRow = Tables['lowWalletEvents']['$inferSelect']

/** Events are posted like callbacks, but in a lane of their own: neither waits for the other. */
export const LANE = { kind: 'callback', lane: 'operator' } as const

/** Stores events, each with the job that posts it. */
export async function insertEvents(tx: Tx, events: readonly EventRow[]): Promise<void> {
  await insertRows(tx, tx.t.lowWalletEvents, events)
  await enqueue(
    tx,
    events.map(({ id, createdAt }) => ({
      ...LANE,
      id,
      owner: NOBODY,
      runAt: createdAt,
      ...UNCLAIMED,
      expiresAt: 0,
    })),
  )
}

/** An event to post. */
export interface DueEvent extends EventRow {
  accountId: string
  name: string
  currency: string
}

export async function dueEvent({ run }: Tx, id: string): Promise<DueEvent | undefined> {
  const [row] = await run<DueEvent>(
    `SELECT e.id, e.wallet_id AS "walletId", e.available, e.threshold, e.created_at AS "createdAt",
       w.currency, a.id AS "accountId", a.name
     FROM low_wallet_events e JOIN wallets w ON w.id = e.wallet_id JOIN accounts a ON a.id = w.account_id
     WHERE e.id = $1`,
    [id],
  )
  return row
}

export async function deleteEvent({ run }: Tx, id: string): Promise<void> {
  await run('DELETE FROM low_wallet_events WHERE id = $1', [id])
}

/** The body of an event, in the form that Standard Webhooks suggests. Built the same at each attempt. */
export function eventPayload(event: DueEvent): string {
  const { accountId, name, walletId, currency, available, threshold, createdAt } = event
  return JSON.stringify({
    type: 'wallet.low',
    timestamp: instant(createdAt),
    data: {
      ...{ accountId, name, walletId, currency },
      ...{ balance: toDecimal(available), threshold: toDecimal(threshold) },
    },
  })
}
