import type { LoggedCallback } from '../../callbacks/index.ts'
import type { EpochMs } from '../../domain/ids.ts'
import type { Wallet } from '../../domain/money/ledger.ts'
import type { MessageInFull } from '../../history/index.ts'
import { findWallet } from '../../money/index.ts'
import type { Right } from '../../people/index.ts'
import type { WalletPrincipal } from '../../platform/http/principal.ts'
import type { FormTicket } from '../../platform/pages/forms.ts'
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

/** What the page needs besides the message. */
export interface PaneView extends OpenMessage {
  /** The filter of the list that it was opened from. */
  q: string
  form: FormTicket
  /** What the person may do in the account. */
  may(right: Right): boolean
  /** Whether messages can be ended by hand here, by who may. */
  canTell: boolean
}

/** Reads a message of the caller's wallet. Throws the problem of one that is not there. */
export type ReadMessage = (principal: WalletPrincipal, ticket: string) => Promise<OpenMessage>

export function createReadMessage({ database, history, callbacks, clock }: ConsoleParts): ReadMessage {
  return async function readMessage(principal, ticket) {
    const full = await history.queries.messageInFull(principal, ticket)
    const filter = { ticket: full.message.id, state: undefined, since: undefined }
    const { items } = await callbacks.log.list(principal, filter, { cursor: undefined, limit: 1 })
    const { id, currency } = principal.wallet
    const wallet = await database.read((tx) => findWallet(tx, id))
    if (!wallet) throw new Error(`there is no wallet ${id}`)
    return { ...full, now: clock.now(), currency, wallet, callback: items[0] }
  }
}
