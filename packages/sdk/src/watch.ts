import type { CallFacts, GatewayError } from './errors.ts'
import type { OperationId } from './operations.ts'

/**
 * Where the client writes what it does. `console` is one. Lines carry no credentials, no text and no numbers.
 * @example
 * import { createClient, type Logger } from '@wigwag/sdk'
 * const logger: Logger = { warn: (message, details) => console.warn(message, details) }
 * const sms = createClient({ baseUrl: 'http://127.0.0.1:8080', accessToken: 'token', logger })
 */
export interface Logger {
  /** A request that was answered as hoped. */
  debug?(message: string, details: object): void
  /** A request that failed and is made again. */
  warn?(message: string, details: object): void
  /** A request that failed for good. */
  error?(message: string, details: object): void
}

/**
 * A request that is about to leave.
 * @example
 * import { createClient, type RequestEvent } from '@wigwag/sdk'
 * const onRequest = ({ operation, attempt }: RequestEvent) => console.log(operation, attempt)
 * const sms = createClient({ baseUrl: 'http://127.0.0.1:8080', accessToken: 'token', onRequest })
 */
export interface RequestEvent {
  operation: OperationId
  /** 1 for the first. */
  attempt: number
  /** The key of a send; the same for every attempt of a call. */
  idempotencyKey: string | undefined
  url: string
}

/**
 * What became of a request: the `status` of its answer, and the `error` if it is one.
 * @example
 * import { createClient, type ResponseEvent } from '@wigwag/sdk'
 * const onResponse = ({ operation, status, milliseconds }: ResponseEvent) => console.log(operation, status, milliseconds)
 * const sms = createClient({ baseUrl: 'http://127.0.0.1:8080', accessToken: 'token', onResponse })
 */
export interface ResponseEvent {
  operation: OperationId
  /** 1 for the first. */
  attempt: number
  /** How long it took, its answer read. */
  milliseconds: number
  /** Undefined when there was no answer. */
  status: number | undefined
  requestId: string | undefined
  error: unknown
}

/**
 * What a client tells of its requests. A hook that throws changes nothing: a send must not fail for its telemetry.
 * @example
 * import { createClient, type Hooks } from '@wigwag/sdk'
 * const hooks: Hooks = { logger: console, onRequest: ({ operation }) => console.count(operation) }
 * const sms = createClient({ baseUrl: 'http://127.0.0.1:8080', accessToken: 'token', ...hooks })
 */
export interface Hooks {
  /** Where to write what the client does. */
  logger?: Logger | undefined
  /** Called for every request that leaves. */
  onRequest?: ((event: RequestEvent) => void) | undefined
  /** Called for what became of it. */
  onResponse?: ((event: ResponseEvent) => void) | undefined
}

/** Calls a hook; what it throws, now or later, is dropped. */
function tell(hook: () => unknown): void {
  ;(async () => hook())().catch(() => {})
}

/** Tells that a request leaves. Its headers and its body are nobody's business: credentials, numbers and texts. */
export function tellRequest({ onRequest }: Hooks, facts: CallFacts, url: string): void {
  const { operation, attempts: attempt, idempotencyKey } = facts
  tell(() => onRequest?.({ operation, attempt, idempotencyKey, url }))
}

/** Tells what became of a request. The line that is written says what it was, never what it said. */
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
