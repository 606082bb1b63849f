/** What a bearer token of an assistant proves. */
export interface Assistant {
  /** The id of the connection that a person allowed. */
  connection: string
  canSend: boolean
  /** In milliseconds since 1970. */
  expiresAt: number
}

/** A token for the REST API, bound to the connection of the token that it was given for. */
export interface DelegatedToken {
  accessToken: string
  /** In milliseconds since 1970, by the clock of whoever asked. */
  expiresAt: number
}

/** Knows the tokens of assistants, inside the gateway or from apart. Never told of a token but by its holder. */
export interface TokenService<Caller extends Assistant = Assistant> {
  /**
   * What the token is good for now; undefined when it is for nothing here: unknown, expired, revoked, or made for
   * another resource. Rejects with {@link SignInUnavailable} when nobody can say.
   */
  verify(token: string): Promise<Caller | undefined>
  /**
   * A token for the REST API in its place (RFC 8693). Called again when the last one is about to end. Rejects with
   * {@link TokenEnded} when the token is no good any more, and with {@link SignInUnavailable} when nobody can say.
   */
  exchange(token: string): Promise<DelegatedToken>
}

/** Whether a text has the form of a bearer token (RFC 6750 §2.1). */
export function isToken(text: string): boolean {
  return text.length <= 4_096 && /^[\w.~+/-]+=*$/.test(text)
}

/** The token was good when it was verified, and is not any more. */
export class TokenEnded extends Error {
  override name = 'TokenEnded'
}

export interface UnavailableOptions extends ErrorOptions {
  /** Seconds after which to try again. */
  retryAfter?: number | undefined
  /** `set-up` when it stays so until somebody corrects it. */
  kind?: 'passing' | 'set-up'
}

/**
 * What a token is good for can't be said now. It says nothing against the token, so its holder must not be told to sign
 * in again. The message is for the operator.
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
