import type { NewJob } from '../../flow/jobs/outbox.ts'
import type { EpochMs } from '../../kernel/ids.ts'
import { jsonInSlices } from '../../kernel/process/event-loop.ts'
import { type Database, RuleBroken, type WriteOptions } from '../../store/database.ts'
import { columnName } from '../../store/rows.ts'
import { firstJob, type JobTimes, type NewMessage, type NewRow } from '../index.ts'
import type { StoredReply } from './idempotency.ts'

/** Sends that are accepted together: their messages, and the replies to those with an idempotency key. */
interface AcceptedSends {
  messages: readonly NewMessage[]
  replies: readonly StoredReply[]
  now: EpochMs
  times: JobTimes
}

/**
 * Accepts sends in one statement, all or none. False when a wallet can't cover its part or a key was used before, and
 * always on SQLite, where a statement changes only one table. Locks last only for the statement and its commit, so
 * batches of the same wallets hardly wait for each other.
 */
export async function acceptAtOnce(
  database: Database,
  { messages, replies, now, times }: AcceptedSends,
  options: WriteOptions,
): Promise<boolean> {
  if (database.engine === 'sqlite') return false
  const sorted = [...replies].sort((a, b) => (a.scope < b.scope ? -1 : 1))
  // Not in slices: a long one is the reply to a single bulk, and would be copied once more.
  const keys = JSON.stringify(sorted)
  const [first] = messages
  const rows = await jsonInSlices(messages, (message) =>
    rowOf(message, firstJob(message, times), first?.content),
  )
  const values = [keys, now, rows, first?.content ?? '']
  try {
    await database.write(({ run }) => run(ACCEPT, values), { ...options, single: true })
    return true
  } catch (error) {
    if (error instanceof RuleBroken) return false
    throw error
  }
}

/** How each column of a message is filled from a row `m`, which has short names, and from its wallet's hold. */
const MESSAGE = {
  id: 'm.id',
  accountId: 'a',
  walletId: 'w',
  sender: 's',
  recipient: 'r',
  content: 'coalesce(c, $4)',
  reference: 'f',
  callbackUrl: 'u',
  status: 'st',
  encoding: 'e',
  segments: 'g',
  country: 'k',
  network: 'n',
  price: 'p',
  balanceBefore: 'hold.posted',
  balanceAfter: 'hold.posted',
  createdAt: 't',
  sendAt: 'at',
  effectedAt: 't',
  sentBy: 'b',
} as const satisfies Record<keyof NewRow, string>

/** Leaves out a text that is sent along once, since a bulk has one for all. */
function rowOf(m: NewMessage, job: NewJob, text: string | undefined) {
  return {
    id: m.id,
    a: m.accountId,
    w: m.walletId,
    s: m.sender,
    r: m.recipient,
    c: m.content === text ? undefined : m.content,
    f: m.reference,
    u: m.callbackUrl,
    st: m.status,
    e: m.encoding,
    g: m.segments,
    k: m.country,
    n: m.network,
    p: m.price,
    t: m.createdAt,
    at: m.sendAt,
    b: m.sentBy,
    jk: job.kind,
    ja: job.lane,
    jr: job.runAt,
    jl: job.leaseUntil,
    je: job.epoch,
    jx: job.expiresAt,
  }
}

/**
 * Locks are taken in the order that all code uses: keys, wallets, totals. The tables' constraints refuse a second use
 * of a key and a hold beyond the wallet's money, and so undo the whole statement. A wallet that is gone is a division by
 * zero.
 */
const ACCEPT = `WITH keys AS (
    INSERT INTO idempotency (scope, fingerprint, response, created_at)
    SELECT scope, fingerprint, response, CAST($2 AS BIGINT) FROM json_to_recordset($1) AS x (scope TEXT, fingerprint TEXT, response TEXT)
    RETURNING 1),
  m AS MATERIALIZED (
    SELECT * FROM json_to_recordset($3) AS x (id TEXT, a TEXT, w TEXT, s TEXT, r TEXT, c TEXT, f TEXT, u TEXT, st TEXT,
      e TEXT, g BIGINT, k TEXT, n TEXT, p BIGINT, t BIGINT, at BIGINT, b TEXT, jk TEXT, ja TEXT, jr BIGINT, jl BIGINT, je BIGINT, jx BIGINT)),
  want AS MATERIALIZED (
    SELECT w, CAST(sum(p) AS BIGINT) AS total FROM m CROSS JOIN (SELECT count(*) FROM keys) AS after_keys GROUP BY w),
  locked AS MATERIALIZED (
    SELECT id FROM wallets WHERE id IN (SELECT w FROM want) ORDER BY id FOR NO KEY UPDATE),
  hold AS (
    UPDATE wallets SET held = held + want.total FROM want JOIN locked ON locked.id = want.w
    WHERE wallets.id = want.w RETURNING wallets.id, wallets.posted),
  stored AS (
    INSERT INTO messages (${Object.keys(MESSAGE).map(columnName).join(', ')})
    SELECT ${Object.values(MESSAGE).join(', ')} FROM m JOIN hold ON hold.id = m.w),
  jobs AS (
    INSERT INTO outbox (id, kind, lane, owner, run_at, lease_until, epoch, expires_at)
    SELECT m.id, jk, ja, w, jr, jl, je, jx FROM m),
  totals AS (
    INSERT INTO hourly_totals AS h (wallet_id, hour, country, network, sent, delivered, failed, spend)
    SELECT w, t - t % 3600000, k, coalesce(n, ''), count(*), 0, 0, 0 FROM m JOIN hold ON hold.id = m.w
    WHERE st = 'pending' GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
    ON CONFLICT (wallet_id, hour, country, network) DO UPDATE SET sent = h.sent + excluded.sent)
  SELECT 1 / CAST((SELECT count(*) FROM hold) = (SELECT count(*) FROM want) AS INTEGER) AS stored`
