/** Who is calling, as far as the credentials of the request prove it. */
export interface Principal {
  accountId: string
  /** The API client whose Basic credentials were shown; idempotency keys are scoped to it. */
  clientId: string
  /** The wallet whose token was shown; absent on operations that do not want one. */
  wallet?: { id: string; currency: string }
  /** The account's sender IDs and how far each one got. */
  senders: ReadonlyMap<string, SenderStatus>
}

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
