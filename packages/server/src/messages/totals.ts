import type { Micros } from '@wigwag/contract'
import { type EpochMs, epochMs } from '../kernel/ids.ts'
import { HOUR_MS } from '../kernel/time/spans.ts'
import type { Tx } from '../store/database.ts'
import { inChunks, placeholders } from '../store/rows.ts'
import { keptSince } from './forget.ts'

const FAR = epochMs(Number.MAX_SAFE_INTEGER)

/** A change to the totals of an hour, from one message or several. */
export interface TotalsChange {
  walletId: string
  createdAt: EpochMs
  country: string
  network: string | null
  sent: number
  delivered: number
  failed: number
  spend: number
}

/** The change to the totals when a message is sent. */
export function countSent(
  message: Pick<TotalsChange, 'walletId' | 'createdAt' | 'country' | 'network'>,
): TotalsChange {
  const { walletId, createdAt, country, network } = message
  return { walletId, createdAt, country, network, sent: 1, delivered: 0, failed: 0, spend: 0 }
}

/** Adds changes to the running totals. Call it in the transaction that changes the messages. */
export async function addToTotals({ run }: Tx, changes: readonly TotalsChange[]): Promise<void> {
  await inChunks(summed(changes), async (chunk) => {
    await run(
      `INSERT INTO hourly_totals (wallet_id, hour, country, network, sent, delivered, failed, spend)
       VALUES ${placeholders(chunk.length, 8)}
       ON CONFLICT (wallet_id, hour, country, network) DO UPDATE SET
         sent = hourly_totals.sent + excluded.sent, delivered = hourly_totals.delivered + excluded.delivered,
         failed = hourly_totals.failed + excluded.failed, spend = hourly_totals.spend + excluded.spend`,
      chunk.flatMap(({ key, sent, delivered, failed, spend }) => [...key, sent, delivered, failed, spend]),
    )
  })
}

interface Sum {
  key: [walletId: string, hour: number, country: string, network: string]
  sent: number
  delivered: number
  failed: number
  spend: number
}

/** One row per wallet, hour and network, in a fixed order so that two batches cannot deadlock. */
function summed(changes: readonly TotalsChange[]): Sum[] {
  const sums: Sum[] = []
  let last: Sum | undefined
  for (const { walletId, createdAt, country, network, sent, delivered, failed, spend } of changes) {
    const key: Sum['key'] = [walletId, createdAt - (createdAt % HOUR_MS), country, network ?? '']
    // Most of a batch shares a wallet, hour and network, so try the last sum first.
    const sum: Sum =
      last && sameKey(last.key, key) ? last : (sums.find((one) => sameKey(one.key, key)) ?? add(key))
    sum.sent += sent
    sum.delivered += delivered
    sum.failed += failed
    sum.spend += spend
    last = sum
  }
  return sums.sort((a, b) => (a.key.join(' ') < b.key.join(' ') ? -1 : 1))

  function add(key: Sum['key']): Sum {
    const sum = { key, sent: 0, delivered: 0, failed: 0, spend: 0 }
    sums.push(sum)
    return sum
  }
}

function sameKey(a: Sum['key'], b: Sum['key']): boolean {
  return a[0] === b[0] && a[1] === b[1] && a[2] === b[2] && a[3] === b[3]
}

/** The totals of one day (UTC) and one network. */
export interface DayTotals {
  day: number
  country: string
  network: string
  sent: number
  delivered: number
  failed: number
  spend: number
}

/**
 * Totals by day and network over any range: whole hours from the running totals, partial hours from the messages. Where
 * messages were deleted, an hour counts in the range in which it begins.
 */
export async function totalsBetween(
  tx: Tx,
  walletId: string,
  from: EpochMs,
  before: EpochMs,
): Promise<DayTotals[]> {
  const kept = await keptSince(tx)
  const start = edge(from, kept)
  const end = edge(before, kept)
  const firstHour = Math.ceil(start / HOUR_MS) * HOUR_MS
  const lastHour = Math.floor(end / HOUR_MS) * HOUR_MS
  if (firstHour >= lastHour) return countRecords(tx, walletId, start, end)
  return [
    ...(await countRecords(tx, walletId, start, firstHour)),
    ...(await sumHours(tx, walletId, firstHour, lastHour)),
    ...(await countRecords(tx, walletId, lastHour, end)),
  ]
}

/** The end of a range, or the next whole hour if messages of that hour may have been deleted. */
function edge(at: EpochMs, kept: EpochMs): number {
  return Math.floor(at / HOUR_MS) * HOUR_MS < kept ? Math.ceil(at / HOUR_MS) * HOUR_MS : at
}

/** PostgreSQL returns sums as text, so they are cast. All sums here are safe integers. */
function sumHours({ run }: Tx, walletId: string, from: number, before: number): Promise<DayTotals[]> {
  return run<DayTotals>(
    `SELECT hour / 86400000 AS day, country, network, CAST(sum(sent) AS BIGINT) AS sent,
       CAST(sum(delivered) AS BIGINT) AS delivered, CAST(sum(failed) AS BIGINT) AS failed,
       CAST(sum(spend) AS BIGINT) AS spend
     FROM hourly_totals WHERE wallet_id = $1 AND hour >= $2 AND hour < $3 GROUP BY 1, 2, 3`,
    [walletId, from, before],
  )
}

/** Messages that all wallets sent in an hour, by their outcome so far. */
export interface HourTotals {
  hour: EpochMs
  sent: number
  delivered: number
  failed: number
}

/** The totals of all wallets by hour, since one. */
export function totalsByHour({ run }: Tx, hour: EpochMs): Promise<HourTotals[]> {
  return run(
    `SELECT hour, CAST(sum(sent) AS BIGINT) AS sent, CAST(sum(delivered) AS BIGINT) AS delivered,
       CAST(sum(failed) AS BIGINT) AS failed
     FROM hourly_totals WHERE hour >= $1 GROUP BY hour ORDER BY hour`,
    [hour],
  )
}

/** How many messages each of some wallets sent since an hour. */
export async function sentSince(
  { run }: Tx,
  walletIds: readonly string[],
  hour: number,
): Promise<Map<string, number>> {
  if (walletIds.length === 0) return new Map()
  const rows = await run<{ walletId: string; sent: number }>(
    `SELECT wallet_id AS "walletId", CAST(sum(sent) AS BIGINT) AS sent FROM hourly_totals
     WHERE hour >= $1 AND wallet_id IN ${placeholders(1, walletIds.length, undefined, 1)} GROUP BY wallet_id`,
    [hour, ...walletIds],
  )
  return new Map(rows.map(({ walletId, sent }) => [walletId, sent]))
}

/** Messages of an account, by their outcome so far. */
export interface AccountTotal {
  accountId: string
  sent: number
  delivered: number
  failed: number
}

/** The accounts that sent the most since an hour. */
export function totalsByAccount({ run }: Tx, since: EpochMs, most: number): Promise<AccountTotal[]> {
  return run(
    `SELECT w.account_id AS "accountId", CAST(sum(h.sent) AS BIGINT) AS sent,
       CAST(sum(h.delivered) AS BIGINT) AS delivered, CAST(sum(h.failed) AS BIGINT) AS failed
     FROM hourly_totals h JOIN wallets w ON w.id = h.wallet_id WHERE h.hour >= $1
     GROUP BY w.account_id ORDER BY sum(h.sent) DESC, w.account_id LIMIT $2`,
    [since, most],
  )
}

/** Messages that customers sent to one network, by their outcome so far, and the amount charged for them. */
export interface NetworkTotal {
  currency: string
  country: string
  network: string
  sent: number
  delivered: number
  failed: number
  spend: Micros
}

/** The totals of all customers in some hours. */
export function totalsByNetwork({ run }: Tx, since: EpochMs, before: EpochMs = FAR): Promise<NetworkTotal[]> {
  return run(
    `SELECT w.currency, h.country, h.network, CAST(sum(h.sent) AS BIGINT) AS sent,
       CAST(sum(h.delivered) AS BIGINT) AS delivered, CAST(sum(h.failed) AS BIGINT) AS failed,
       CAST(sum(h.spend) AS BIGINT) AS spend
     FROM hourly_totals h JOIN wallets w ON w.id = h.wallet_id WHERE h.hour >= $1 AND h.hour < $2
     GROUP BY w.currency, h.country, h.network ORDER BY w.currency, h.country, h.network`,
    [since, before],
  )
}

/** The same totals, counted from the messages. Exported so that a test can compare them with the running totals. */
export async function countRecords(
  { run }: Tx,
  walletId: string,
  from: number,
  before: number,
): Promise<DayTotals[]> {
  if (from >= before) return []
  return run<DayTotals>(
    `SELECT created_at / 86400000 AS day, country, coalesce(network, '') AS network, count(*) AS sent,
       count(CASE WHEN status = 'success' THEN 1 END) AS delivered,
       count(CASE WHEN status NOT IN ('success', 'pending') THEN 1 END) AS failed,
       CAST(sum(cost) AS BIGINT) AS spend
     FROM messages WHERE wallet_id = $1 AND created_at >= $2 AND created_at < $3
       AND status NOT IN ('scheduled', 'cancelled') GROUP BY 1, 2, 3`,
    [walletId, from, before],
  )
}
