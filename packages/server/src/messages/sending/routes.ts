import { toDecimal } from '@wigwag/contract'
import { type Principal, type WalletPrincipal, walletOf } from '../../kernel/principal.ts'
import type { Handlers } from '../../net/server/handler.ts'
import { instant, nextCursor, pageRequest } from '../../net/server/paging.ts'
import { transaction } from '../index.ts'
import type { Accept } from './accept.ts'
import { bulkCommand, scheduleCommand, sendTime, smsCommand } from './commands.ts'
import type { Remaining } from './limited-hold.ts'
import { estimate } from './quote.ts'
import { type Cancelling, cancelScheduled, listScheduled } from './scheduled.ts'

export function sendingHandlers(accept: Accept, parts: Cancelling & Parameters<typeof estimate>[0]) {
  return {
    sendSms: (call) => accept.send(smsCommand(requestOf(call))),

    sendBulkSms: (call) => accept.send(bulkCommand(requestOf(call))),

    scheduleSms: (call) => accept.send(scheduleCommand(requestOf(call))),

    async listScheduledSms({ principal, query }) {
      const { items, next } = await listScheduled(parts.database, walletOf(principal), pageRequest(query))
      const listed = items.map((message) => ({
        Ticket: message.id,
        Status: message.status,
        SendAt: instant(message.sendAt),
        From: message.sender,
        To: message.recipient,
        Content: message.content,
        Reference: message.reference,
        HeldCost: toDecimal(message.price),
        DateCreated: instant(message.createdAt),
      }))
      return { body: { Items: listed, ...nextCursor(next) } }
    },

    async cancelScheduledSms({ principal, path }) {
      return { body: transaction(await cancelScheduled(parts, walletOf(principal), path.ticket)) }
    },

    async estimateCost({ principal, body }) {
      const estimated = await estimate(parts, {
        principal: walletOf(principal),
        sender: body.From,
        to: body.To,
        pointerTo: '/To',
        content: body.Content,
        sendAt: body.SendAt === undefined ? undefined : sendTime(body.SendAt),
      })
      const { encoding, segments, unicodeCause, unitPrice, price, currency, country, network, remaining } =
        estimated
      return {
        body: {
          Segments: segments,
          Encoding: encoding,
          ...(unicodeCause === undefined ? {} : { UnicodeCause: unicodeCause }),
          UnitPrice: toDecimal(unitPrice),
          Cost: toDecimal(price),
          Currency: currency,
          Country: country,
          ...(network === undefined ? {} : { Network: network }),
          ...(remaining && { Allowance: allowance(remaining) }),
        },
      }
    },
  } satisfies Partial<Handlers>
}

function requestOf<Call extends { principal: Principal }>(call: Call): Call & { principal: WalletPrincipal } {
  return { ...call, principal: walletOf(call.principal) }
}

function allowance({ spend, messages, recipient }: Remaining) {
  const left = messages === undefined ? {} : { Messages: messages }
  return { Spend: toDecimal(spend), ...left, Recipient: recipient }
}
