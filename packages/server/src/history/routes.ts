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
import type { SentBy } from './sent-by.ts'

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
  sentBy,
}: MessageInFull): components['schemas']['Message'] {
  const { segments, encoding, country, network, sendAt } = message
  return {
    ...transaction(message),
    ...sentByField(sentBy),
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

function sentByField(sentBy: SentBy | undefined): { SentBy?: components['schemas']['SentBy'] } {
  if (!sentBy) return {}
  const { kind, name } = sentBy
  return { SentBy: { Kind: kind, ...(name === undefined ? {} : { Name: name }) } }
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
      sentBy: query.SentBy,
    }
    const { items, next } = await queries.search(walletOf(principal), filter, pageRequest(query))
    const senders = await queries.sendersOf(items)
    const found = items.map((message) => ({ ...transaction(message), ...sentByField(senders(message)) }))
    return { body: { Items: found, ...nextCursor(next) } }
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
