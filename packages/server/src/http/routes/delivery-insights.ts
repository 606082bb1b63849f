import { toDecimal } from '../../domain/money.ts'
import type { InsightRow, Insights, InsightsRequest } from '../../gateway/insights.ts'
import { walletOf } from '../../gateway/principal.ts'
import type { Handler } from '../handler.ts'
import { instant, timeOf } from '../wire.ts'

export function deliveryInsights(
  insights: (request: InsightsRequest) => Promise<Insights>,
): Handler<'deliveryInsights'> {
  return async ({ principal, query }) => {
    const caller = walletOf(principal)
    const { from, before, groups, totals } = await insights({
      principal: caller,
      groupBy: query.GroupBy,
      from: timeOf(query.DateFrom),
      before: timeOf(query.DateTo),
    })
    return {
      body: {
        GroupBy: query.GroupBy,
        DateFrom: instant(from),
        DateTo: instant(before),
        Currency: caller.wallet.currency,
        Groups: groups.map(row),
        Totals: row(totals),
      },
    }
  }
}

function row({ key, sent, delivered, failed, pending, spend }: InsightRow) {
  return {
    Key: key,
    Sent: sent,
    Delivered: delivered,
    Failed: failed,
    Pending: pending,
    Spend: toDecimal(spend),
  }
}
