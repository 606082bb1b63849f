/** Who is calling, as far as the credentials of the request prove it. */
export interface Principal {
  accountId: string
  /**
   * The API client whose Basic credentials were shown, or `connection:<id>`. Idempotency keys and rates are counted by
   * it.
   */
  clientId: string
  /**
   * The wallet whose token was shown; absent on operations that do not want one. A connection always has its own, and
   * sees no other.
   */
  wallet?: { id: string; currency: string }
  /** The assistant's connection whose access token was shown, within what that token allows. */
  connection?: { id: string; canSend: boolean }
  /** The account's sender IDs and how far each one got. */
  senders: ReadonlyMap<string, SenderStatus>
}

/** What an access token may be good for. */
export type Scope = 'sms:read' | 'sms:send'

export type SenderStatus = 'approved' | 'pending' | 'rejected'

/** A principal that has shown its wallet. */
export type WalletPrincipal = Principal & { wallet: NonNullable<Principal['wallet']> }

/** The principal with its wallet, on operations that were only reached by showing one. */
export function walletOf(principal: Principal): WalletPrincipal {
  if (hasWallet(principal)) return principal
  throw new Error('an operation that needs a wallet was reached without one')
}

function hasWallet(principal: Principal): principal is WalletPrincipal {
  return principal.wallet !== undefined
}
