import type { Accepted } from '../../gateway/decide.ts'
import type { SendCommand } from '../../gateway/prepare.ts'
import { walletOf } from '../../gateway/principal.ts'
import type { Handler } from '../handler.ts'
import { callbackUrlOf, sendResult } from '../wire.ts'

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
