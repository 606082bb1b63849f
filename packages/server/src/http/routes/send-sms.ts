import type { Accepted } from '../../gateway/decide.ts'
import type { SendCommand } from '../../gateway/prepare.ts'
import { walletOf } from '../../gateway/principal.ts'
import type { Handler } from '../handler.ts'
import { callbackUrlOf, sendResult } from '../wire.ts'

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
