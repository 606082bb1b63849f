import { type Micros, microsOfSum } from '@wigwag/contract'
import { type EpochMs, epochMs } from '../domain/ids.ts'
import { type DayTotals, totalsBetween } from '../messages/index.ts'
import type { Clock } from '../platform/clock.ts'
import type { Replica } from '../platform/database/database.ts'
import type { WalletPrincipal } from '../platform/http/principal.ts'

export interface InsightsRequest {
  principal: WalletPrincipal
  groupBy: 'network' | 'day'
  from: EpochMs | undefined
  before: EpochMs | undefined
}

export interface InsightRow {
  key: string
  sent: number
  delivered: number
  failed: number
  pending: number
  spend: Micros
}

export interface Insights {
  from: EpochMs
  before: EpochMs
  groups: InsightRow[]
  totals: InsightRow
}

const DAY_MS = 24 * 3_600_000
const DEFAULT_RANGE_MS = 30 * DAY_MS
/** A response cannot express years of five digits. */
const LATEST = epochMs(Date.UTC(9999, 11, 31, 23, 59, 59, 999))

/** Counts a wallet's deliveries and spend in a range; undefined when the range ends before it begins. */
export function createInsights(database: Replica, clock: Clock) {
  return async function insights(request: InsightsRequest): Promise<Insights | undefined> {
    const before = epochMs(Math.min(request.before ?? clock.now(), LATEST))
    const from = request.from ?? epochMs(Math.max(0, before - DEFAULT_RANGE_MS))
    if (from > before) return undefined
    const { wallet } = request.principal
    const rows = await database.read((tx) => totalsBetween(tx, wallet.id, from, before))
    const groups = sumBy(request.groupBy === 'day' ? dayOf : networkOf, rows)
    return { from, before, groups, totals: sumUp('total', rows) }
  }
}

/** The sums of the groups that rows fall into, in the order of their keys. */
export function sumBy(keyOf: (row: DayTotals) => string, rows: readonly DayTotals[]): InsightRow[] {
  const groups = [...Map.groupBy(rows, keyOf)].map(([key, group]) => sumUp(key, group))
  return groups.sort((a, b) => (a.key < b.key ? -1 : 1))
}

export function dayOf({ day }: DayTotals): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10)
}

export function networkOf({ country, network }: DayTotals): string {
  return network === '' ? country : `${country} ${network}`
}

/** The sum of some totals. */
export function sumUp(key: string, rows: readonly DayTotals[]): InsightRow {
  let [sent, delivered, failed, spend] = [0, 0, 0, 0]
  for (const row of rows) {
    sent += row.sent
    delivered += row.delivered
    failed += row.failed
    spend += row.spend
  }
  return { key, sent, delivered, failed, pending: sent - delivered - failed, spend: microsOfSum(spend) }
}
