import { toDecimal } from '@wigwag/contract'
import { type MessageRow, transaction } from '../messages/index.ts'
import type { Handler } from '../platform/http/handler.ts'
import { type WalletPrincipal, walletOf } from '../platform/http/principal.ts'
import { instant, timeOf } from '../platform/http/wire.ts'
import type { Accepted } from './decide.ts'
import type { Estimate, EstimateRequest } from './estimate.ts'
import type { SendCommand } from './prepare.ts'
import { callbackUrlOf, sendResult } from './wire.ts'

export function sendSms(accept: (command: SendCommand) => Promise<Accepted>): Handler<'sendSms'> {
  return ({ principal, body, idempotency }) =>
    accept({
      principal: walletOf(principal),
      operation: 'sendSms',
      sender: body.From,
      content: body.Content,
      callbackUrl: callbackUrlOf(principal, body),
      recipients: [{ to: body.To, reference: body.Reference ?? '' }],
      pointerTo: () => '/To',
      idempotency,
      render: ([message]) => JSON.stringify(message && sendResult(message)),
    })
}

export function sendBulkSms(accept: (command: SendCommand) => Promise<Accepted>): Handler<'sendBulkSms'> {
  return ({ principal, body, idempotency }) =>
    accept({
      principal: walletOf(principal),
      operation: 'sendBulkSms',
      sender: body.From,
      content: body.Content,
      callbackUrl: callbackUrlOf(principal, body),
      recipients: body.Recipients.map(({ To, Reference = '' }) => ({ to: To, reference: Reference })),
      pointerTo: (index) => `/Recipients/${index}/To`,
      idempotency,
      render: (messages) => JSON.stringify(messages.map(sendResult)),
    })
}

export function scheduleSms(accept: (command: SendCommand) => Promise<Accepted>): Handler<'scheduleSms'> {
  return ({ principal, body, idempotency }) =>
    accept({
      principal: walletOf(principal),
      operation: 'scheduleSms',
      sender: body.From,
      content: body.Content,
      callbackUrl: callbackUrlOf(principal, body),
      recipients: [{ to: body.To, reference: body.Reference ?? '' }],
      pointerTo: () => '/To',
      idempotency,
      sendAt: { at: timeOf(body.SendAt), pointer: '/SendAt' },
      render: ([message]) =>
        JSON.stringify(message && { ...sendResult(message), SendAt: instant(message.sendAt) }),
    })
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
    const { encoding, segments, unicodeCause, unitPrice, price, currency, country, network } = await estimate(
      {
        principal: walletOf(principal),
        sender: body.From,
        to: body.To,
        pointerTo: '/To',
        content: body.Content,
      },
    )
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
      },
    }
  }
}
