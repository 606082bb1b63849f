import { type AccountRow, type MovingMark, OperatorError, writeMovingMark } from '../../accounts/index.ts'
import { Cancellations } from '../../delivery/index.ts'
import type { EpochMs, Ticket } from '../../kernel/ids.ts'
import { DAY_MS } from '../../kernel/time/spans.ts'
import { emptyWallet, setWarning, type WalletRow, walletsOf } from '../../money/index.ts'
import { createOperatorAudit } from '../../store/audit/index.ts'
import type { Tx } from '../../store/database.ts'
import type { Cell, Cells, Owner } from './cell.ts'

/** Unfinished work, which keeps an account in its cell. */
export interface Open {
  /** Messages that were handed to a carrier or soon will be, until their receipts come or their validity is over. */
  underWay: number
  scheduled: number
  /** When the last scheduled one is due; 0 without any. */
  lastDueAt: number
  /** When the last message ends at the latest, scheduled ones too; 0 without any. */
  endsBy: number
  /** Callbacks due or being posted. Callbacks that wait for a later attempt go along. */
  callbacks: number
  /** Events not yet posted to the operator's webhook. */
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

/** As long as a message's validity is at most, unless it was set to more. */
const LONGEST_WAIT_MS = 2 * DAY_MS

/** Throws when the account would be suspended for days, until the last of what it has scheduled is due. */
export function refuseLongWait({ id }: AccountRow, { scheduled, lastDueAt }: Open, now: EpochMs): void {
  if (lastDueAt <= now + LONGEST_WAIT_MS) return
  throw new OperatorError(
    `account ${id} has scheduled messages, of ${scheduled} the last for ${new Date(lastDueAt).toISOString()}, and would be suspended until then: let its people cancel what is due later than in two days, or cancel all of them with --cancel-scheduled`,
  )
}

/** How a command waits for an account to come to rest. */
export interface Waiting {
  /** How often to look; every two seconds when left out: gateways remember for one who was let in. */
  askMs?: number
  /** Told what is still open. */
  onWait(open: Open): void
}

const ASK_MS = 2_000

/** Waits until nothing of an account is open. Its gateways bring it to an end as always: nothing new is accepted. */
export async function comeToRest(
  { database, clock }: Cell,
  owner: Owner,
  {
    askMs = ASK_MS,
    onWait,
    mayGoOn,
  }: Waiting & {
    /** Throws when another command has taken over. */
    mayGoOn(tx: Tx): Promise<void>
  },
): Promise<void> {
  for (;;) {
    await new Promise<void>((resolve) => clock.after(askMs, resolve))
    const open = await database.read(async (tx) => {
      await mayGoOn(tx)
      return openOf(tx, owner, clock.now())
    })
    if (isAtRest(open)) return
    onWait(open)
  }
}

/** Cancels the scheduled messages of an account and releases their holds. One whose time has come meanwhile is sent. */
export async function cancelScheduled(cell: Cell, { walletIds }: Owner): Promise<void> {
  const cancellations = new Cancellations(cell)
  for (const walletId of walletIds) {
    const scheduled = await cell.database.read(({ run }) =>
      run<{ id: Ticket }>("SELECT id FROM messages WHERE wallet_id = $1 AND status = 'scheduled'", [
        walletId,
      ]),
    )
    for (const { id } of scheduled) await cancellations.cancel(id)
  }
}

/**
 * Makes a copied account the target's, if it is still at rest and its wallets are what was copied: a gateway that was
 * stopped may have let in a send before. Its wallets are locked for that, and empty from then on, so that nothing can be
 * sent here afterwards.
 */
export async function giveAway({ source, target }: Cells, owner: Owner, mark: MovingMark): Promise<boolean> {
  const { accountId, walletIds } = owner
  const copied = await target.database.read((tx) => walletsOf(tx, accountId))
  return source.database.write(async (tx) => {
    const now = source.clock.now()
    await tx.run(`SELECT id FROM wallets WHERE account_id = $1 ORDER BY id ${tx.locks.forUpdate}`, [
      accountId,
    ])
    const areSame = figuresOf(await walletsOf(tx, accountId)) === figuresOf(copied)
    if (!areSame || !isAtRest(await openOf(tx, owner, now))) return false
    for (const id of walletIds) {
      await emptyWallet(tx, id, now)
      await setWarning(tx, id, undefined)
    }
    await dropCallbackJobs(tx, owner)
    await writeMovingMark(tx, accountId, { ...mark, handedOver: true })
    await createOperatorAudit(source)(tx, { action: 'account.leave', accountId, detail: { to: mark.to } })
    return true
  })
}

function figuresOf(wallets: readonly WalletRow[]): string {
  return JSON.stringify(wallets.map(({ id, posted, held, entries }) => [id, posted, held, entries]))
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
