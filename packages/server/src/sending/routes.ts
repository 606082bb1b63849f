import { toDecimal } from '@wigwag/contract'
import { type MessageRow, transaction } from '../messages/index.ts'
import type { Handler } from '../platform/http/handler.ts'
import { type Principal, type WalletPrincipal, walletOf } from '../platform/http/principal.ts'
import { bulkCommand, scheduleCommand, sendTime, smsCommand } from './commands.ts'
import type { Accepted } from './decide.ts'
import type { Remaining } from './limited-hold.ts'
import type { SendCommand } from './prepare.ts'
import type { Estimate, EstimateRequest } from './quote.ts'

type Accept = (command: SendCommand) => Promise<Accepted>

export function sendSms(accept: Accept): Handler<'sendSms'> {
  return (call) => accept(smsCommand(requestOf(call)))
}

export function sendBulkSms(accept: Accept): Handler<'sendBulkSms'> {
  return (call) => accept(bulkCommand(requestOf(call)))
}

export function scheduleSms(accept: Accept): Handler<'scheduleSms'> {
  return (call) => accept(scheduleCommand(requestOf(call)))
}

function requestOf<Call extends { principal: Principal }>(call: Call): Call & { principal: WalletPrincipal } {
  return { ...call, principal: walletOf(call.principal) }
}

type Cancel = (principal: WalletPrincipal, ticket: string) => Promise<MessageRow>

export function cancelScheduledSms(cancel: Cancel): Handler<'cancelScheduledSms'> {
  return async ({ principal, path }) => ({
    body: transaction(await cancel(walletOf(principal), path.ticket)),
  })
}

export function estimateCost(
  estimate: (request: EstimateRequest) => Promise<Estimate>,
): Handler<'estimateCost'> {
  return async ({ principal, body }) => {
    const estimated = await estimate({
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
  }
}

function allowance({ spend, messages, recipient }: Remaining) {
  const left = messages === undefined ? {} : { Messages: messages }
  return { Spend: toDecimal(spend), ...left, Recipient: recipient }
}
