import type { Unasked } from '@wigwag/contract'

/** An assistant, as its bearer token proves it. */
export interface Assistant {
  /** The id of the connection that a person has allowed. */
  connection: string
  canSend: boolean
  unasked: Unasked
  /** In milliseconds since 1970. */
  expiresAt: number
}

/** A token for the REST API, for the same connection as the token it was exchanged for. */
export interface DelegatedToken {
  accessToken: string
  /** In milliseconds since 1970, by the clock of the caller. */
  expiresAt: number
}

/** Verifies and exchanges the tokens of assistants, inside the gateway or by asking it over HTTP. */
export interface TokenService<Caller extends Assistant = Assistant> {
  /**
   * The assistant of a token; undefined when the token is unknown, expired, revoked, or issued for another
   * resource. Rejects with {@link SignInUnavailable} when that can't be determined.
   */
  verify(token: string): Promise<Caller | undefined>
  /**
   * Exchanges it for a token for the REST API (RFC 8693). Called again shortly before that one expires. Rejects with
   * {@link TokenEnded} when the token is no longer valid, and with {@link SignInUnavailable} when that can't be
   * determined.
   */
  exchange(token: string): Promise<DelegatedToken>
}

/** Whether a text has the form of a bearer token (RFC 6750 §2.1). */
export function isToken(text: string): boolean {
  return text.length <= 4_096 && /^[\w.~+/-]+=*$/.test(text)
}

/** The token was valid when it was verified, and no longer is. */
export class TokenEnded extends Error {
  override name = 'TokenEnded'
}

export interface UnavailableOptions extends ErrorOptions {
  /** Seconds after which to try again. */
  retryAfter?: number | undefined
  /** `set-up` when the operator has to correct something; `passing` when a later try may succeed. */
  kind?: 'passing' | 'set-up'
}

/**
 * A token can't be checked at the moment. The token may well be valid, so the assistant must not be sent to sign in
 * again. The message is for the operator.
 */
export class SignInUnavailable extends Error {
  override name = 'SignInUnavailable'
  readonly retryAfter: number
  readonly kind: 'passing' | 'set-up'

  constructor(message: string, options: UnavailableOptions = {}) {
    super(message, options)
    this.retryAfter = options.retryAfter ?? 5
    this.kind = options.kind ?? 'passing'
  }
}
