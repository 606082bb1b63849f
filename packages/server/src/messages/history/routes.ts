import { recipientDigits, toDecimal } from '@wigwag/contract'
import type { components } from '@wigwag/contract/openapi'
import { invalidFields } from '../../kernel/errors.ts'
import type { EpochMs } from '../../kernel/ids.ts'
import { walletOf } from '../../kernel/principal.ts'
import type { Clock } from '../../kernel/process/clock.ts'
import { elapsed, MINUTE_MS, SECOND_MS } from '../../kernel/time/spans.ts'
import type { Handler } from '../../net/server/handler.ts'
import { instant, nextCursor, pageRequest, timeOf } from '../../net/server/paging.ts'
import type { Replica } from '../../store/database.ts'
import { transaction } from '../index.ts'
import { type InsightRow, readInsights } from './insights.ts'
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

/** The clock of a sandbox, which people move forward. */
export interface MovedClock {
  now(): EpochMs
  ahead(): number
  aheadSince(): EpochMs | undefined
  readonly real: Pick<Clock, 'now'>
}

/** A loop that waits for a message takes its time before the first search, and searches for a while. */
const A_WHILE_MS = 10 * MINUTE_MS
/** A program on another machine may have a clock that is a little ahead of ours. */
const SKEW_MS = 5 * SECOND_MS
/** With a smaller lead, a search finds no more than what was sent in the last minute. */
const SMALLEST_LEAD_MS = MINUTE_MS

/**
 * Refuses a search from now on by the real clock, where the sandbox's was moved forward before: it would find what was sent
 * earlier. A test that reads a one-time code would get an old one, and pass. A time from before the first move was right then.
 */
function refuseRealNow(from: EpochMs | undefined, clock: MovedClock | undefined): void {
  const since = clock?.aheadSince()
  if (from === undefined || clock === undefined || since === undefined) return
  const lead = clock.ahead()
  const realNow = clock.real.now()
  if (lead < SMALLEST_LEAD_MS || from < since) return
  if (from < realNow - Math.min(lead, A_WHILE_MS) || from > realNow + SKEW_MS) return
  const detail =
    `Expected a time by the sandbox's clock, which was moved ${elapsed(lead)} ahead: it is ${new Date(clock.now()).toISOString()} there. ` +
    `Take the time from the gateway, such as asOf of the balance, or leave DateFrom out.`
  throw invalidFields([{ pointer: '/DateFrom', code: 'invalid_value', detail }])
}

export function deliveryInsights(database: Replica, clock: Pick<Clock, 'now'>): Handler<'deliveryInsights'> {
  return async ({ principal, query }) => {
    const caller = walletOf(principal)
    const asked = { groupBy: query.GroupBy, from: timeOf(query.DateFrom), before: timeOf(query.DateTo) }
    const counted = await readInsights(database, caller, asked, clock.now())
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
