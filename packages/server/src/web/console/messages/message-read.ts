import type { Right } from '../../../accounts/people/index.ts'
import type { LoggedCallback } from '../../../callbacks/index.ts'
import type { EpochMs } from '../../../kernel/ids.ts'
import type { Wallet } from '../../../kernel/money/ledger.ts'
import type { WalletPrincipal } from '../../../kernel/principal.ts'
import type { MessageInFull } from '../../../messages/history/index.ts'
import { knownWallet } from '../../../money/index.ts'
import type { FormTicket } from '../../../net/pages/forms.tsx'
import type { ConsoleParts } from '../parts.ts'

/** A message as its page shows it. */
export interface OpenMessage extends MessageInFull {
  now: EpochMs
  currency: string
  /** As it is now. */
  wallet: Wallet
  /** Undefined until the message is final, and when it named no URL. */
  callback: LoggedCallback | undefined
}

/** An open message, and everything else that its page needs. */
export interface PaneView extends OpenMessage {
  /** The filter of the list that it was opened from. */
  q: string
  form: FormTicket
  may(right: Right): boolean
  /** Whether messages can be ended by hand here, by who may. */
  canTell: boolean
}

/** Reads a message of the caller's wallet. Throws the problem of one that is not there. */
export async function readMessage(
  { database, history, callbacks, clock }: ConsoleParts,
  principal: WalletPrincipal,
  ticket: string,
): Promise<OpenMessage> {
  const full = await history.queries.messageInFull(principal, ticket)
  const filter = { ticket: full.message.id, state: undefined, since: undefined }
  const { items } = await callbacks.log.list(principal, filter, { cursor: undefined, limit: 1 })
  const { id, currency } = principal.wallet
  const wallet = await database.read((tx) => knownWallet(tx, id))
  return { ...full, now: clock.now(), currency, wallet, callback: items[0] }
}
