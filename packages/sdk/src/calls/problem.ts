import {
  AuthenticationError,
  type CallFacts,
  GatewayError,
  InsufficientFundsError,
  NotFoundError,
  type RateLimit,
  RateLimitError,
  ValidationError,
} from '../errors.ts'
import type { FetchResponse } from '../fetch.ts'
import type { FieldError } from '../generated/models.ts'
import { isRecord } from '../shape.ts'

const classes: Record<number, typeof GatewayError> = {
  400: ValidationError,
  401: AuthenticationError,
  402: InsufficientFundsError,
  404: NotFoundError,
  413: ValidationError,
  415: ValidationError,
  422: ValidationError,
  429: RateLimitError,
}

/**
 * Makes the error for a response. The specification does not define error bodies, so nothing is assumed: the body may
 * be a problem, other JSON, a proxy's page or empty. Once an attempt leaves the call uncertain, it stays so.
 */
export function gatewayError(
  response: FetchResponse,
  body: unknown,
  facts: CallFacts,
  now: number,
  said?: string,
): GatewayError {
  const { status, headers } = response
  const problem = isRecord(body) ? body : {}
  const text = (name: string) => (typeof problem[name] === 'string' ? problem[name] : undefined)
  const code = text('code')
  const page =
    typeof body === 'string' && body ? `${response.statusText}; got ${glimpse(response, body)}` : ''
  const why =
    said ||
    text('detail') ||
    text('title') ||
    text('message') ||
    text('error') ||
    code ||
    page ||
    response.statusText
  facts.uncertain ||= leavesDoubt(status, code)
  return new (classes[status] ?? GatewayError)(`${status} ${why}`.trim(), facts, {
    status,
    code,
    requestId: text('requestId') ?? headers.get('x-request-id') ?? undefined,
    retryAfter: retryAfter(headers.get('retry-after'), now),
    rateLimit: rateLimit(headers),
    errors: Array.isArray(problem.errors) ? problem.errors.filter(isFieldError) : [],
    body,
  })
}

/**
 * Makes the error for a response that is no error and not what the document says: written by another program, or cut
 * off. `wrong` says what keeps its body from being the documented answer.
 */
export function unexpected(
  response: FetchResponse,
  body: unknown,
  wrong: string | undefined,
  facts: CallFacts,
  now: number,
): GatewayError {
  const place = response.headers.get('location')
  const said =
    response.status > 299
      ? `a redirect${place ? ` to ${place}` : ''}, which is not followed: set baseUrl to where the gateway is`
      : `expected the documented answer; got ${glimpse(response, body)}${isRecord(body) ? `: ${wrong}` : ''}`
  return gatewayError(response, body, facts, now, said)
}

/** A body by its type and its first words. Of JSON only the names: its values may be numbers and texts. */
function glimpse({ headers }: FetchResponse, body: unknown): string {
  const type = headers.get('content-type') ?? 'no content type'
  const words = Array.isArray(body)
    ? 'a list'
    : isRecord(body)
      ? `{${Object.keys(body).join(', ')}}`
      : type.includes('json')
        ? 'no object'
        : `${body}`
            .slice(0, 999)
            .replace(/(<[^>]*>|[\s\p{Cc}])+/gu, ' ')
            .trim() || 'nothing'
  return `${type.includes('html') ? 'a page, ' : ''}${type}: ${words.slice(0, 80)}`
}

/** Whether the request may have been carried out despite the error response. */
function leavesDoubt(status: number, code: string | undefined): boolean {
  return (
    status < 300 ||
    (status > 499 && code !== 'unavailable') ||
    (status === 408 && code !== 'request_timeout') ||
    code === 'idempotency_in_progress'
  )
}

/** The seconds in `Retry-After`, which is a number or a date. */
function retryAfter(value: string | null, now: number): number | undefined {
  if (!value) return undefined
  const seconds = Number(value) >= 0 ? Number(value) : (Date.parse(value) - now) / 1000
  return seconds >= 0 ? Math.ceil(seconds) : undefined
}

function rateLimit(headers: FetchResponse['headers']): RateLimit | undefined {
  const [, remaining, reset] = /;r=(\d+);t=(\d+)/.exec(headers.get('ratelimit') ?? '') ?? []
  return remaining ? { remaining: Number(remaining), reset: Number(reset) } : undefined
}

function isFieldError(value: unknown): value is FieldError {
  return isRecord(value) && typeof value.pointer === 'string'
}
