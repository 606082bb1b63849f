import type { Hono } from 'hono'
import type { Clock } from '../clock.ts'
import type { HttpContext } from '../http/body.ts'
import { type Exchange, isProbe, operationOf } from './exchange.ts'
import type { Tracing } from './tracing.ts'

/** A request that was answered. */
export interface Answered extends Exchange {
  operation: string
  status: number
  /** From its headers to the beginning of its answer. */
  ms: number
  /** The address of the peer, which may be a proxy, and what that says of the client. */
  peer: string | undefined
  forwardedFor: string | undefined
}

export interface ObserveOptions {
  clock: Pick<Clock, 'elapsed'>
  onAnswered(answered: Answered): void
  /** Makes the id of a request that got none from the code that answered it, such as one for a page. */
  requestId(): string
  tracing?: Tracing | undefined
}

export type Fetch = Hono['fetch']
type Bindings = HttpContext['env']

/** Tells of every request that an app answers. */
export function observed(fetch: Fetch, { clock, onAnswered, requestId, tracing }: ObserveOptions): Fetch {
  return async function observe(request, env, context) {
    const startedAt = clock.elapsed()
    const exchange: Exchange = {
      operation: undefined,
      accountId: undefined,
      requestId: undefined,
      code: undefined,
    }
    // Safe cast: it comes from `listen` alone.
    const bindings = (env ?? {}) as Bindings
    const { incoming } = bindings
    bindings.exchange = exchange
    const path = incoming?.url ?? new URL(request.url).pathname
    const span = tracing && !isProbe(path) ? tracing.start('request', 'server', parentOf(request)) : undefined
    const work = () => fetch(request, bindings, context)
    const response = await (tracing && span ? tracing.within(span, work) : work())
    const { status } = response
    if (exchange.requestId === undefined) {
      exchange.requestId = requestId()
      response.headers.set('x-request-id', exchange.requestId)
    }
    const forwardedFor = incoming?.headers['x-forwarded-for']
    const operation = operationOf(exchange, path, status)
    span?.end({
      name: operation,
      attributes: {
        'http.request.method': request.method,
        'http.response.status_code': status,
        'wigwag.request_id': exchange.requestId,
        'wigwag.account': exchange.accountId,
        'error.type': exchange.code,
      },
      failed: status >= 500,
    })
    onAnswered({
      ...exchange,
      operation,
      status,
      ms: clock.elapsed() - startedAt,
      peer: incoming?.socket.remoteAddress,
      forwardedFor: typeof forwardedFor === 'string' ? forwardedFor : forwardedFor?.join(','),
    })
    return response
  }
}

function parentOf(request: Request): { parent: string | undefined } {
  return { parent: request.headers.get('traceparent') ?? undefined }
}
