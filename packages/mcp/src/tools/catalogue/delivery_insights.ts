import { toolInputs } from '@wigwag/contract/tools'
import type { DeliveryInsights } from '@wigwag/sdk'
import * as z from 'zod'
import { capped, leftOut, listLimit } from '../shapes.ts'
import { defineTool, reads, toWire } from '../tool.ts'

const counts = {
  sent: z.int().describe('How many messages were sent.'),
  delivered: z.int().describe('How many were delivered.'),
  failed: z.int().describe('How many failed.'),
  pending: z.int().describe('How many are not final yet.'),
  spend: z.number().describe('What was charged for them.'),
}

export const deliveryInsights = defineTool({
  name: 'delivery_insights',
  title: 'Delivery insights',
  description:
    'Sent / delivered / failed counts and total spend, grouped by recipient network or by day. One call answers "what ' +
    'did we spend last week": group_by day, date_from Monday 00:00 and date_to the next Monday 00:00. Without dates ' +
    'it covers the last 30 days. Dates are ISO 8601 with `Z` or an offset; days are in UTC. Totals cover all groups, ' +
    'including those left out. For single messages use search_messages. Free.',
  input: toolInputs.delivery_insights.extend({ limit: listLimit(31) }),
  output: z.object({
    group_by: z.string().describe('Whether a group is a network or a day.'),
    date_from: z.string().describe('The start of the period, in UTC.'),
    date_to: z.string().describe('The end of the period, itself not included.'),
    currency: z.string().describe('The currency of the spend, by its ISO 4217 code.'),
    totals: z.object(counts),
    groups: z.array(
      z.object({ key: z.string().describe('A country and its network, or a day in UTC.'), ...counts }),
    ),
    left_out: leftOut,
  }),
  annotations: reads,
  operations: ['deliveryInsights'],
  async handler(input, { client }) {
    const insights = await client.getDeliveryInsights(toWire('delivery_insights', input))
    const groups = insights.Groups.map((row) => ({ key: row.Key, ...toCounts(row) }))
    const { shown, left_out } = capped(groups, input.limit)
    const totals = toCounts(insights.Totals)
    return {
      structured: {
        group_by: insights.GroupBy,
        date_from: insights.DateFrom,
        date_to: insights.DateTo,
        currency: insights.Currency,
        totals,
        groups: shown,
        left_out,
      },
      text:
        `From ${insights.DateFrom} until ${insights.DateTo}: ${totals.spend} ${insights.Currency} spent; ${totals.sent} sent, ` +
        `of which ${totals.delivered} delivered, ${totals.failed} failed and ${totals.pending} not final yet.`,
    }
  },
})

function toCounts(row: DeliveryInsights['Totals']) {
  const { Sent, Delivered, Failed, Pending, Spend } = row
  return { sent: Sent, delivered: Delivered, failed: Failed, pending: Pending, spend: Spend }
}
