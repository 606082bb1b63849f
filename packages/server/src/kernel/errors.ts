/**
 * Every way a request can fail: the public code, its HTTP status and its title. Only `net/server/problems.ts`
 * renders errors; all other code throws a {@link Problem}.
 */
export const catalogue = {
  invalid_json: [400, 'The body is not valid JSON'],
  invalid_idempotency_key: [400, 'The idempotency key is not valid'],
  invalid_credentials: [401, 'The credentials are not valid'],
  wallet_token_missing: [401, 'The wallet token is missing'],
  insufficient_funds: [402, 'The wallet does not hold enough'],
  wallet_forbidden: [403, 'The wallet token does not open a wallet of this account'],
  account_suspended: [403, 'The account is suspended'],
  sender_not_approved: [403, 'The sender ID is not approved for this account'],
  insufficient_scope: [403, 'The access token does not allow this'],
  limit_reached: [403, 'The connection has reached its limit of the day'],
  recipient_not_allowed: [403, 'The connection may not send to this recipient'],
  scheduled_elsewhere: [403, 'The connection did not schedule this message'],
  transaction_not_found: [404, 'There is no such transaction'],
  key_not_found: [404, 'There is no such key'],
  route_not_found: [404, 'There is no such route'],
  method_not_allowed: [405, 'The method is not allowed here'],
  request_timeout: [408, 'The request took too long to arrive'],
  idempotency_in_progress: [409, 'A request with this idempotency key is still running'],
  not_cancellable: [409, 'The message can no longer be cancelled'],
  key_not_current: [409, 'The key was replaced already'],
  too_many: [409, 'There are too many of these already'],
  body_too_large: [413, 'The body is too large'],
  unsupported_media_type: [415, 'The media type is not supported'],
  missing_field: [422, 'A required field is missing'],
  invalid_type: [422, 'A field has the wrong type'],
  invalid_value: [422, 'A field has a value that is not allowed'],
  invalid_recipient: [422, 'The recipient number is not valid'],
  invalid_sender: [422, 'The sender name is not valid'],
  content_empty: [422, 'The content is empty'],
  content_too_long: [422, 'The content is too long'],
  content_invalid: [422, 'The content holds characters that cannot be sent'],
  invalid_callback_url: [422, 'The callback URL is not valid'],
  invalid_send_at: [422, 'The time to send at is not valid'],
  no_rate: [422, 'There is no rate for this destination'],
  too_many_recipients: [422, 'There are too many recipients'],
  idempotency_key_reused: [422, 'The idempotency key was used with another body'],
  rate_limited: [429, 'Too many requests'],
  internal_error: [500, 'Something went wrong on our side'],
  unavailable: [503, 'The service is not available now'],
  outcome_unknown: [503, 'It is not known whether the request was carried out'],
} as const satisfies Record<string, readonly [status: number, title: string]>

export type ProblemCode = keyof typeof catalogue

/** One invalid field: its JSON pointer, the code of the broken rule, and the text for the caller. */
export interface FieldError {
  pointer: string
  code: ProblemCode
  detail: string
}

/** The only error that reaches a caller. `detail` is public: it says what was expected and what came. */
export class Problem extends Error {
  override readonly name = 'Problem'
  readonly code: ProblemCode
  readonly errors: readonly FieldError[]
  readonly headers: Readonly<Record<string, string>>

  constructor(
    code: ProblemCode,
    detail: string,
    extra: { errors?: readonly FieldError[]; headers?: Record<string, string> } = {},
  ) {
    super(detail)
    this.code = code
    this.errors = extra.errors ?? []
    this.headers = extra.headers ?? {}
  }

  get status(): number {
    return catalogue[this.code][0]
  }

  get title(): string {
    return catalogue[this.code][1]
  }
}

/** A longer list would not help the caller, and could be larger than the request. */
const MOST_ERRORS = 100

/** One problem that lists all invalid fields. Its code and text are those of the first one. */
export function invalidFields(errors: readonly FieldError[]): Problem {
  const [first] = errors
  if (!first) throw new RangeError('expected at least one invalid field')
  const more = errors.length - 1
  const detail = more === 0 ? first.detail : `${first.detail} And ${more} more.`
  return new Problem(first.code, detail, { errors: errors.slice(0, MOST_ERRORS) })
}
