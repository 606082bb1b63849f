import { type Micros, ZERO } from '@wigwag/contract'
import { callbackJob, insertCallbacks, type NewCallback } from '../../callbacks/index.ts'
import { enqueue, lastClaimsOf, type RemovedJobs, removeJobs } from '../../flow/jobs/outbox.ts'
import type { EpochMs } from '../../kernel/ids.ts'
import { settlementOf } from '../../kernel/message.ts'
import { post, voidHold, type Wallet } from '../../kernel/money/ledger.ts'
import {
  addToTotals,
  type EndColumn,
  type Ending,
  type OpenMessage,
  type Settlement,
  senderKey,
  settleMessages,
  type TotalsChange,
} from '../../messages/index.ts'
import { type LedgerRow, settleWallet } from '../../money/index.ts'
import type { Tx } from '../../store/database.ts'
import { columnName, insertRows } from '../../store/rows.ts'

/** The first ending of a message that is not final yet. */
export interface First {
  ending: Ending
  message: OpenMessage
  recipientKey: number
  /** The callback to post for it; undefined when the send named no URL. */
  callback: NewCallback | undefined
  /** With it, the callback is stored as already claimed by this process. */
  callbackLeaseMs: number | undefined
}

/** An ending that counted, with what it cost. */
export interface Won extends First {
  /** Empty where none had it. */
  carrier: string
  /** When its carrier took it; 0 where that is unknown. */
  submittedAt: number
  cost: Micros
  balanceBefore: Micros
  balanceAfter: Micros
}

/** Settles endings table by table. Safe only where there is one writer, as on SQLite. Returns those that counted. */
export async function writeEndsInSteps(tx: Tx, endings: readonly First[], now: EpochMs): Promise<Won[]> {
  const held = await stillHeld(tx, endings)
  const jobs = await removeJobs(
    tx,
    held.map(({ message }) => message.id),
  )
  const { won, settlements, entries } = await settleMoney(tx, held, jobs, now)
  await settleMessages(tx, settlements)
  await insertRows(tx, tx.t.ledger, entries)
  await addToTotals(tx, settlements.flatMap(countEnding))
  await insertCallbacks(
    tx,
    won.flatMap(({ callback }) => callback ?? []),
  )
  await enqueue(
    tx,
    won.flatMap(({ callback, callbackLeaseMs }) =>
      callback ? callbackJob(callback, now, callbackLeaseMs) : [],
    ),
  )
  return won
}

/** Leaves out endings of jobs that another process has claimed since, unless a carrier answered. */
async function stillHeld(tx: Tx, endings: readonly First[]): Promise<readonly First[]> {
  const decided = endings.filter(({ ending }) => ending.epoch !== undefined)
  if (decided.length === 0) return endings
  const claims = await lastClaimsOf(
    tx,
    decided.map(({ message }) => message.id),
  )
  return endings.filter(({ ending: { epoch, ofHandOver }, message }) => {
    const last = claims.get(message.id)
    return epoch === undefined || (last && (last.epoch === epoch || last.handedAt === ofHandOver))
  })
}

/** Posts or voids each message's hold, with one update per wallet. */
async function settleMoney(
  tx: Tx,
  endings: readonly First[],
  jobs: RemovedJobs,
  now: EpochMs,
): Promise<{ won: Won[]; settlements: Settlement[]; entries: LedgerRow[] }> {
  const won: Won[] = []
  const settlements: Settlement[] = []
  const entries: LedgerRow[] = []
  const byWallet = Map.groupBy(endings, ({ message }) => message.walletId)
  for (const [walletId, group] of byWallet) {
    const posts = group.filter(({ ending }) => settlementOf(ending.status) === 'post')
    const { before, nextSeq } = await settleWallet(tx, walletId, {
      posted: total(posts),
      released: total(group),
      entries: posts.length,
    })
    let wallet: Wallet = before
    let seq = nextSeq
    for (const one of group) {
      const { message, ending, recipientKey } = one
      const posting = settlementOf(ending.status) === 'post'
      const entry = (posting ? post : voidHold)(wallet, message.price)
      wallet = entry.wallet
      const balances = { balanceBefore: entry.before, balanceAfter: entry.after }
      const cost = posting ? message.price : ZERO
      const job = jobs.get(message.id)
      const carrier = job?.lane ?? ''
      const submittedAt = job?.submittedAt || ending.submittedAt
      won.push({ ...one, carrier, submittedAt, cost, ...balances })
      settlements.push({
        message,
        recipientKey,
        status: ending.status,
        cost,
        ...balances,
        effectedAt: now,
        submittedAt,
        carrier: carrier || null,
        carrierRef: job?.carrierRef ?? ending.carrierRef,
        failureReason: ending.reason ?? null,
      })
      if (!posting) continue
      entries.push({
        walletId,
        seq: seq++,
        kind: 'post',
        amount: message.price,
        ...balances,
        messageId: message.id,
        createdAt: now,
      })
    }
  }
  return { won, settlements, entries }
}

/** A scheduled message was never counted as sent, so its cancellation changes no total. */
function countEnding({ message, status }: Settlement): TotalsChange[] {
  if (status === 'cancelled') return []
  const { walletId, createdAt, country, network, price } = message
  const posting = settlementOf(status) === 'post'
  const counts = { sent: 0, delivered: posting ? 1 : 0, failed: posting ? 0 : 1, spend: posting ? price : 0 }
  return [{ walletId, createdAt, country, network, ...counts }]
}

function total(endings: readonly First[]): number {
  return endings.reduce((sum, { message }) => sum + message.price, 0)
}

/** Settles endings in one statement. Returns those that counted. */
export async function writeEndsAtOnce({ run }: Tx, endings: readonly First[], now: EpochMs): Promise<Won[]> {
  // Sorted by id because jobs are locked in this order; a wallet's ledger entries follow the order of arrival (`i`).
  const rows = endings.map(rowOf).sort((a, b) => (a.id < b.id ? -1 : 1))
  const won = await run<Counted>(FINISH, [JSON.stringify(rows), now])
  return won.flatMap(({ i, ...counted }) => {
    const one = endings[i]
    return one ? [{ ...one, ...counted }] : []
  })
}

interface Counted extends Pick<Won, 'carrier' | 'submittedAt' | 'cost' | 'balanceBefore' | 'balanceAfter'> {
  i: number
}

function rowOf({ ending, message, recipientKey, callback, callbackLeaseMs }: First, index: number) {
  const { id, walletId, sender } = message
  return {
    i: index,
    id,
    w: walletId,
    p: message.price,
    t: message.createdAt,
    k: message.country,
    n: message.network ?? '',
    st: ending.status,
    paid: settlementOf(ending.status) === 'post' ? 1 : 0,
    ref: ending.carrierRef,
    why: ending.reason,
    sub: ending.submittedAt,
    ep: ending.epoch,
    ha: ending.ofHandOver,
    rk: recipientKey,
    sk: senderKey(walletId, sender, ending.status),
    a: message.accountId,
    cb: callback?.id,
    url: callback?.url,
    lease: callbackLeaseMs,
  }
}

const SUBMITTED_AT = 'CASE WHEN b.submitted_at > 0 THEN b.submitted_at ELSE coalesce(sub, 0) END'

/** How each column that a message gets is filled from a row `b`, which has short names, and from its wallet's chain. */
const MESSAGE = {
  status: 'st',
  cost: 'b.cost',
  balanceBefore: 'balance + b.cost',
  balanceAfter: 'balance',
  effectedAt: 'CAST($2 AS BIGINT)',
  submittedAt: SUBMITTED_AT,
  carrier: "nullif(b.lane, '')",
  carrierRef: 'coalesce(b.carrier_ref, ref)',
  failureReason: 'why',
  recipientKey: 'rk',
  senderKey: 'sk',
} as const satisfies Record<EndColumn, string>

/**
 * The ending that removes a message's job counts. Locks are taken in the order that all code uses: jobs, wallets,
 * totals. Each part passes its rows on to the next: joining two parts again would compare every row with every other.
 */
const FINISH = `WITH e AS MATERIALIZED (
    SELECT * FROM json_to_recordset($1) AS x (i BIGINT, id TEXT, w TEXT, p BIGINT, t BIGINT, k TEXT, n TEXT, st TEXT,
      paid BIGINT, ref TEXT, why TEXT, sub BIGINT, ep BIGINT, ha BIGINT, rk BIGINT, sk BIGINT, a TEXT, cb TEXT, url TEXT,
      lease BIGINT)),
  j AS MATERIALIZED (
    DELETE FROM outbox o USING e
    WHERE o.id = e.id AND (o.kind = 'scheduled') = (e.st = 'cancelled')
      AND (e.ep IS NULL OR o.epoch = e.ep OR o.handed_at = e.ha)
    RETURNING e.*, e.p * e.paid AS cost, o.lane, o.carrier_ref, o.submitted_at),
  sums AS (
    SELECT w, CAST(sum(p) AS BIGINT) AS released, CAST(sum(cost) AS BIGINT) AS spent, CAST(sum(paid) AS BIGINT) AS paid
    FROM j GROUP BY w),
  locked AS MATERIALIZED (
    SELECT id FROM wallets WHERE id IN (SELECT w FROM sums) ORDER BY id FOR NO KEY UPDATE),
  settled AS (
    UPDATE wallets SET posted = posted - spent, held = held - released, entries = entries + paid
    FROM sums JOIN locked ON locked.id = sums.w WHERE wallets.id = sums.w
    RETURNING wallets.id, wallets.posted + spent AS before, wallets.entries - paid AS entries),
  b AS MATERIALIZED (
    SELECT j.*, before - CAST(sum(cost) OVER chain AS BIGINT) AS balance,
      entries + CAST(sum(paid) OVER chain AS BIGINT) AS seq
    FROM j JOIN settled ON settled.id = j.w WINDOW chain AS (PARTITION BY w ORDER BY i)),
  ended AS (
    UPDATE messages SET ${Object.entries(MESSAGE)
      .map(([key, value]) => `${columnName(key)} = ${value}`)
      .join(', ')}
    FROM b WHERE messages.id = b.id),
  entered AS (
    INSERT INTO ledger (wallet_id, seq, kind, amount, balance_before, balance_after, message_id, created_at)
    SELECT w, seq, 'post', cost, balance + cost, balance, id, $2 FROM b WHERE paid = 1),
  counted AS (
    INSERT INTO hourly_totals AS h (wallet_id, hour, country, network, sent, delivered, failed, spend)
    SELECT w, t - t % 3600000, k, n, 0, sum(paid), count(*) - sum(paid), sum(cost) FROM b
    WHERE st <> 'cancelled' GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
    ON CONFLICT (wallet_id, hour, country, network) DO UPDATE SET delivered = h.delivered + excluded.delivered,
      failed = h.failed + excluded.failed, spend = h.spend + excluded.spend),
  told AS (
    INSERT INTO callbacks (id, account_id, wallet_id, message_id, url, state, created_at)
    SELECT cb, a, w, id, url, 'pending', $2 FROM b WHERE cb IS NOT NULL),
  posts AS (
    INSERT INTO outbox (id, kind, owner, run_at, lease_until, epoch)
    SELECT cb, 'callback', a, $2, coalesce($2 + lease, 0), CASE WHEN lease IS NULL THEN 0 ELSE 1 END
    FROM b WHERE cb IS NOT NULL)
  SELECT i, lane AS carrier, ${SUBMITTED_AT} AS "submittedAt", cost, balance + cost AS "balanceBefore",
    balance AS "balanceAfter" FROM b ORDER BY i`
