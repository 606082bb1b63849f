import type { CallFacts, GatewayError } from './errors.ts'
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
  /** The idempotency key of a send; the same for every attempt of a call. */
  idempotencyKey: string | undefined
  url: string
}

/**
 * The result of a request: the response's `status`, and the `error` if it failed.
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
  /** Undefined if there was no response. */
  status: number | undefined
  requestId: string | undefined
  error: unknown
}

/**
 * Hooks that observe a client's requests. What a hook throws is ignored: telemetry must not fail a send.
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

/** Reports a request, without its headers and body: they hold credentials, phone numbers and texts. */
export function tellRequest({ onRequest }: Hooks, facts: CallFacts, url: string): void {
  const { operation, attempts: attempt, idempotencyKey } = facts
  tell(() => onRequest?.({ operation, attempt, idempotencyKey, url }))
}

/** Reports the result of a request. The log line names the error's code, never its text. */
export function tellResponse(
  { logger, onResponse }: Hooks,
  level: keyof Logger,
  { operation, attempts: attempt }: CallFacts,
  milliseconds: number,
  outcome: Partial<Pick<GatewayError, 'status' | 'requestId' | 'code' | 'name'> & Pick<Response, 'headers'>>,
  error?: unknown,
): void {
  if (!logger && !onResponse) return
  const { status, code, name, requestId = outcome.headers?.get('x-request-id') ?? undefined } = outcome
  const seen = { operation, attempt, milliseconds, status, requestId }
  tell(() => onResponse?.({ ...seen, error }))
  tell(() => logger?.[level]?.(operation, { ...seen, reason: code ?? name }))
}
