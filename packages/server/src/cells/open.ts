import type { EpochMs } from '../domain/ids.ts'
import type { Tx } from '../platform/database/database.ts'
import type { Owner } from './belongings.ts'

/** What of an account is not at an end, so that it can't leave its cell yet. */
export interface Open {
  /** Messages that were handed to a carrier or soon will be, until their receipts come or their validity is over. */
  underWay: number
  scheduled: number
  /** When the last scheduled one is due; 0 without any. */
  lastDueAt: number
  /** When the last message ends at the latest, scheduled ones too; 0 without any. */
  endsBy: number
  /** Callbacks that are posted now. What waits for a later attempt goes along. */
  callbacks: number
  /** What the operator's webhook has not been told yet. */
  events: number
}

const NOTHING: Open = { underWay: 0, scheduled: 0, lastDueAt: 0, endsBy: 0, callbacks: 0, events: 0 }

export async function openOf({ run }: Tx, { walletIds }: Owner, now: EpochMs): Promise<Open> {
  let all = NOTHING
  for (const walletId of walletIds) {
    const [one = NOTHING] = await run<Open>(OPEN, [walletId, now])
    all = {
      underWay: all.underWay + one.underWay,
      scheduled: all.scheduled + one.scheduled,
      lastDueAt: Math.max(all.lastDueAt, one.lastDueAt),
      endsBy: Math.max(all.endsBy, one.endsBy),
      callbacks: all.callbacks + one.callbacks,
      events: all.events + one.events,
    }
  }
  return all
}

const OPEN = `WITH messages AS MATERIALIZED (
    SELECT m.status, m.send_at, o.expires_at FROM messages m LEFT JOIN outbox o ON o.id = m.id
    WHERE m.wallet_id = $1 AND m.sender_key IS NULL),
  events AS (
    SELECT id FROM low_wallet_events WHERE wallet_id = $1
    UNION ALL SELECT e.id FROM person_events e JOIN wallets w ON w.account_id = e.account_id WHERE w.id = $1)
  SELECT (SELECT count(*) FROM messages WHERE status <> 'scheduled') AS "underWay",
    (SELECT count(*) FROM messages WHERE status = 'scheduled') AS scheduled,
    (SELECT coalesce(max(send_at), 0) FROM messages WHERE status = 'scheduled') AS "lastDueAt",
    (SELECT coalesce(max(expires_at), 0) FROM messages) AS "endsBy",
    (SELECT count(*) FROM callbacks c JOIN outbox o ON o.id = c.id
     WHERE c.wallet_id = $1 AND c.state = 'pending' AND o.run_at <= $2) AS callbacks,
    (SELECT count(*) FROM events) AS events`

export function isAtRest({ underWay, scheduled, callbacks, events }: Open): boolean {
  return underWay + scheduled + callbacks + events === 0
}

/** Takes the jobs of its callbacks away: the other cell posts those that were not taken. */
export async function dropCallbackJobs({ run }: Tx, { walletIds }: Owner): Promise<void> {
  for (const walletId of walletIds) await run(`DELETE FROM outbox WHERE id IN (${TO_POST})`, [walletId])
}

/** Posts the callbacks that were not taken, with a new plan of attempts. */
export async function postCallbacks({ run }: Tx, { walletIds }: Owner, now: EpochMs): Promise<void> {
  for (const walletId of walletIds)
    await run(
      `INSERT INTO outbox (id, kind, owner, run_at) SELECT id, 'callback', account_id, $1 FROM callbacks
       WHERE wallet_id = $2 AND state = 'pending' ON CONFLICT DO NOTHING`,
      [now, walletId],
    )
}

const TO_POST = `SELECT id FROM callbacks WHERE wallet_id = $1 AND state = 'pending'`
