import type { Accepted } from '../../gateway/decide.ts'
import type { SendCommand } from '../../gateway/prepare.ts'
import { walletOf } from '../../gateway/principal.ts'
import type { Handler } from '../handler.ts'
import { callbackUrlOf, instant, sendResult, timeOf } from '../wire.ts'

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
      sendAt: timeOf(body.SendAt),
      render: ([message]) =>
        JSON.stringify(message && { ...sendResult(message), SendAt: instant(message.sendAt) }),
    })
}
