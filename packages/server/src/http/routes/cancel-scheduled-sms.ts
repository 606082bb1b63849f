import type { Message } from '../../gateway/message.ts'
import { type WalletPrincipal, walletOf } from '../../gateway/principal.ts'
import type { Handler } from '../handler.ts'
import { transaction } from '../wire.ts'

type Cancel = (principal: WalletPrincipal, ticket: string) => Promise<Message>

export function cancelScheduledSms(cancel: Cancel): Handler<'cancelScheduledSms'> {
  return async ({ principal, path }) => ({
    body: transaction(await cancel(walletOf(principal), path.ticket)),
  })
}
