import { type EpochMs, epochMs } from '../domain/ids.ts'
import { type DayTotals, totalsBetween } from '../messages/index.ts'
import type { Replica } from '../platform/database/database.ts'
import type { WalletPrincipal } from '../platform/http/principal.ts'
import { dayOf, type InsightRow, networkOf, sumBy, sumUp } from './insights.ts'

/** A range of time, its end not included. */
export interface TimeRange {
  from: EpochMs
  before: EpochMs
}

/** A wallet's deliveries and spend in a range, counted in every way that a person looks at them. */
export interface Report {
  /** One for each day and network, in this order. */
  rows: DayTotals[]
  days: InsightRow[]
  networks: InsightRow[]
  totals: InsightRow
  /** Of the range of the same length before. */
  earlier: InsightRow
}

export type ReadReport = (principal: WalletPrincipal, range: TimeRange) => Promise<Report>

export function createReport(database: Replica): ReadReport {
  return ({ wallet }, { from, before }) =>
    database.read(async (tx) => {
      const rows = await totalsBetween(tx, wallet.id, from, before)
      const start = epochMs(Math.max(0, from - (before - from)))
      const earlier = await totalsBetween(tx, wallet.id, start, from)
      return {
        rows: rows.sort(byDayAndNetwork),
        days: sumBy(dayOf, rows),
        networks: sumBy(networkOf, rows),
        totals: sumUp('total', rows),
        earlier: sumUp('total', earlier),
      }
    })
}

function byDayAndNetwork(a: DayTotals, b: DayTotals): number {
  return a.day - b.day || (networkOf(a) < networkOf(b) ? -1 : 1)
}
