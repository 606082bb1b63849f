import { recipientDigits, toDecimal } from '@wigwag/contract'
import type { components } from '@wigwag/contract/openapi'
import { invalidFields } from '../domain/errors.ts'
import { transaction } from '../messages/index.ts'
import type { Handler } from '../platform/http/handler.ts'
import { instant, nextCursor, pageRequest, timeOf } from '../platform/http/paging.ts'
import { walletOf } from '../platform/http/principal.ts'
import { type MovedClock, refuseRealNow } from './clock-ahead.ts'
import type { InsightRow, Insights, InsightsRequest } from './insights.ts'
import type { MessageInFull, Queries } from './queries.ts'

export function getTransactionStatus(queries: Queries): Handler<'getTransactionStatus'> {
  return async ({ principal, path }) => ({
    body: transaction(await queries.transaction(principal, path.ticket)),
  })
}

export function getMessage(queries: Queries): Handler<'getMessage'> {
  return async ({ principal, path }) => ({
    body: inFull(await queries.messageInFull(walletOf(principal), path.id)),
  })
}

/** A message with its timeline, in the API's field names. */
export function inFull({
  message,
  failureReason,
  timeline,
}: MessageInFull): components['schemas']['Message'] {
  const { segments, encoding, country, network, sendAt } = message
  return {
    ...transaction(message),
    Segments: segments,
    Encoding: encoding,
    Country: country,
    ...(network === null ? {} : { Network: network }),
    ...(failureReason === undefined ? {} : { FailureReason: failureReason }),
    ...(sendAt === 0 ? {} : { SendAt: instant(sendAt) }),
    Timeline: timeline.map(({ at, event, detail }) => ({
      At: instant(at),
      Event: event,
      ...(detail === undefined ? {} : { Detail: detail }),
    })),
  }
}

export function searchMessages(
  queries: Queries,
  sandboxClock: MovedClock | undefined,
): Handler<'searchMessages'> {
  return async ({ principal, query }) => {
    const createdFrom = timeOf(query.DateFrom)
    refuseRealNow(createdFrom, sandboxClock)
    const filter = {
      createdFrom,
      createdBefore: timeOf(query.DateTo),
      statuses: query.Status && [query.Status],
      recipient: query.To === undefined ? undefined : recipientDigits(query.To),
      sender: query.From,
      reference: query.Reference,
    }
    const { items, next } = await queries.search(walletOf(principal), filter, pageRequest(query))
    return { body: { Items: items.map(transaction), ...nextCursor(next) } }
  }
}

export function deliveryInsights(
  insights: (request: InsightsRequest) => Promise<Insights | undefined>,
): Handler<'deliveryInsights'> {
  return async ({ principal, query }) => {
    const caller = walletOf(principal)
    const counted = await insights({
      principal: caller,
      groupBy: query.GroupBy,
      from: timeOf(query.DateFrom),
      before: timeOf(query.DateTo),
    })
    if (!counted) {
      const detail = 'Expected DateFrom to be no later than DateTo.'
      throw invalidFields([{ pointer: '/DateFrom', code: 'invalid_value', detail }])
    }
    const { from, before, groups, totals } = counted
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
