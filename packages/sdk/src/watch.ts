import { type CallFacts, type GatewayError, WigwagError } from './errors.ts'
import type { FetchResponse } from './fetch.ts'
import type { OperationId } from './operations.ts'

/**
 * Receives the client's log lines, such as `console`. They contain no credentials, message texts or phone numbers.
 * @example
 * import { createClient, type Logger } from '@wigwag/sdk'
 * const logger: Logger = { warn: (message, details) => console.warn(message, details) }
 * const sms = createClient({ baseUrl: 'http://127.0.0.1:8080', accessToken: 'token', logger })
 */
export interface Logger {
  /** A request that succeeded. */
  debug?(message: string, details: object): void
  /** A request that failed and will be repeated. */
  warn?(message: string, details: object): void
  /** A request that failed for good. */
  error?(message: string, details: object): void
}

/**
 * A request that is about to be sent.
 * @example
 * import { createClient, type RequestEvent } from '@wigwag/sdk'
 * const onRequest = ({ operation, attempt }: RequestEvent) => console.log(operation, attempt)
 * const sms = createClient({ baseUrl: 'http://127.0.0.1:8080', accessToken: 'token', onRequest })
 */
export interface RequestEvent {
  operation: OperationId
  /** 1 for the first. */
  attempt: number
  /** The same for every attempt of a call, and for no other call. */
  callId: string
  /** The idempotency key of a send; the same for every attempt of a call. The gateway keeps it for 24 hours. */
  idempotencyKey: string | undefined
  /** The address without its query, which may hold phone numbers. */
  url: string
}

/**
 * The result of a request: the response's `status`, and the `reason` if it failed.
 * @example
 * import { createClient, type ResponseEvent } from '@wigwag/sdk'
 * const onResponse = ({ operation, status, milliseconds }: ResponseEvent) => console.log(operation, status, milliseconds)
 * const sms = createClient({ baseUrl: 'http://127.0.0.1:8080', accessToken: 'token', onResponse })
 */
export interface ResponseEvent {
  operation: OperationId
  /** 1 for the first. */
  attempt: number
  /** How long it took, including reading the response. */
  milliseconds: number
  callId: string
  idempotencyKey: string | undefined
  /** Undefined if there was no response. */
  status: number | undefined
  requestId: string | undefined
  /** The error's code, or its name where it has none: never its text, which may quote a number. Undefined for a success. */
  reason: string | undefined
  /** Whether the request will be made again. */
  willRepeat: boolean
}

/**
 * Hooks that observe a client's requests. An error in a hook is ignored: telemetry must not fail a send.
 * @example
 * import { createClient, type Hooks } from '@wigwag/sdk'
 * const hooks: Hooks = { logger: console, onRequest: ({ operation }) => console.count(operation) }
 * const sms = createClient({ baseUrl: 'http://127.0.0.1:8080', accessToken: 'token', ...hooks })
 */
export interface Hooks {
  /** Receives a line about each request. */
  logger?: Logger | undefined
  /** Called before every request. */
  onRequest?: ((event: RequestEvent) => void) | undefined
  /** Called after every request. */
  onResponse?: ((event: ResponseEvent) => void) | undefined
}

/** Calls a hook and ignores what it throws, now or later. */
function tell(hook: () => unknown): void {
  ;(async () => hook())().catch(() => {})
}

/** The fields that all events of a call have. */
function shared({ operation, attempts: attempt, callId, idempotencyKey }: CallFacts & { callId: string }) {
  return { operation, attempt, callId, idempotencyKey }
}

/** Reports a request, without its headers, query and body: they hold credentials, phone numbers and texts. */
export function tellRequest({ onRequest }: Hooks, facts: CallFacts & { callId: string }, url: string): void {
  tell(() => onRequest?.({ ...shared(facts), url: url.replace(/\?.*/, '') }))
}

/** The result of an attempt, as far as it may be told. */
interface Outcome {
  milliseconds: number
  willRepeat: boolean
  /** The response of a success. */
  response?: FetchResponse
  error?: unknown
}

/** Reports the result of a request, with the error's code but never its text. */
export function tellResponse(
  { logger, onResponse }: Hooks,
  facts: CallFacts & { callId: string },
  { milliseconds, willRepeat, response, error }: Outcome,
): void {
  if (!logger && !onResponse) return
  const failure: Partial<GatewayError> = error instanceof WigwagError ? error : {}
  const status = response?.status ?? failure.status
  const requestId = response?.headers.get('x-request-id') ?? failure.requestId
  const reason = response ? undefined : (failure.code ?? failure.name ?? 'Error')
  const event = { ...shared(facts), milliseconds, status, requestId, reason, willRepeat }
  tell(() => onResponse?.(event))
  const level = response ? 'debug' : willRepeat ? 'warn' : 'error'
  // Some loggers show only the text, others also the details.
  const end = [status, reason, requestId && `request ${requestId}`].filter(Boolean).join(', ')
  const line = `${event.operation}: attempt ${event.attempt}, ${end}, ${Math.round(milliseconds)} ms`
  tell(() => logger?.[level]?.(willRepeat ? `${line}; trying again` : line, event))
}
