/** The caller, as far as its credentials prove it. */
export interface Principal {
  accountId: string
  /**
   * The API client of the Basic credentials, `connection:<id>` for a connection, or `person:<account>` for a page.
   * Idempotency keys and rate limits are per client id.
   */
  clientId: string
  /**
   * The wallet whose token was sent; absent on operations that do not require one. A connection always has its own
   * wallet and sees no other.
   */
  wallet?: { id: string; currency: string }
  /** The assistant's connection, when the caller sent an access token. `canSend` is limited by the token's scopes. */
  connection?: { id: string; canSend: boolean }
  /** The caller is a program with API credentials that uses the tools at `/mcp`, within the operator's limits. */
  forTools?: true
  /** The caller proved itself with a key that was replaced and still works for a while. */
  withOldKey?: true
  /** The id of the person who signed in, when the call comes from a page of the console. */
  person?: string
  /** The key of the API client, where one proved the caller. */
  keyId?: string
  /** A person who may see neither texts nor whole numbers: reads hide them, and searches don't look at them. */
  withoutTexts?: true
  /** The account's sender IDs and their status. */
  senders: ReadonlyMap<string, SenderStatus>
}

/** The scopes of an access token. */
export type Scope = 'sms:read' | 'sms:send'

export type SenderStatus = 'approved' | 'pending' | 'rejected'

/** A principal with a wallet. */
export type WalletPrincipal = Principal & { wallet: NonNullable<Principal['wallet']> }

/** Narrows the principal on operations that require a wallet. Throws when there is none, which is a bug. */
export function walletOf(principal: Principal): WalletPrincipal {
  if (hasWallet(principal)) return principal
  throw new Error('an operation that needs a wallet was reached without one')
}

function hasWallet(principal: Principal): principal is WalletPrincipal {
  return principal.wallet !== undefined
}

/** The Basic credentials of a request, unverified. */
export interface Credentials {
  clientId: string
  clientSecret: string
}

/** Finds the principal for some credentials. Throws a problem when they are not valid. */
export type Identify = (credentials: Credentials, walletToken: string | undefined) => Promise<Principal>
