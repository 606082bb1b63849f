import type { Hono } from 'hono'
import { watchJobs } from '../flow/jobs/job-metrics.ts'
import { FaultLog } from '../flow/observe/fault-log.ts'
import { type OpenTracingOptions, openTracing } from '../flow/observe/open-tracing.ts'
import type { Tracing } from '../flow/observe/tracing.ts'
import type { Parts } from '../flow/parts.ts'
import type { Clock } from '../kernel/process/clock.ts'
import type { Logger } from '../kernel/process/log.ts'
import { Metrics } from '../kernel/process/metrics.ts'
import { type ProxyWarnings, TrustedProxies } from '../net/callers/client-address.ts'
import type { HttpContext } from '../net/server/body.ts'
import { type Exchange, isProbe, operationOf, PROBES } from '../net/server/exchange.ts'
import { type WriteTimes, watchDatabase } from '../store/watch.ts'
import { watchProcesses } from './processes/added-up.ts'

const REQUEST_BUCKETS = [0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** The operator's view: metrics, unexpected errors, traces, and a line for each request. */
export async function openObservation({
  database,
  clock,
  log,
  newId,
  takesWrites,
  writeTimes,
  version,
  environment,
  traces,
  exportMs,
}: Pick<Parts, 'database' | 'clock' | 'log' | 'newId'> & {
  takesWrites(): Promise<boolean>
  writeTimes(): WriteTimes
  version: string
  environment: string
  /** Undefined while traces are off. */
  traces: OpenTracingOptions['settings'] | undefined
  exportMs: OpenTracingOptions['exportMs']
}) {
  const metrics = new Metrics({
    clock,
    onUnread: (err) => log.warn({ err }, 'some metrics could not be read'),
  })
  const faults = metrics.counter(
    'wigwag_faults_total',
    'This process: unexpected errors, by part of the gateway.',
    ['part'],
  )
  const requestSeconds = metrics.histogram({
    name: 'wigwag_http_request_duration_seconds',
    help: 'This process: the time from the headers of a request to the beginning of its answer, by operation and status.',
    labels: ['operation', 'status'],
    buckets: REQUEST_BUCKETS,
  })
  const countFault = (part: string) => faults.inc({ part })
  const fault = new FaultLog({ clock, newId }, log, countFault).of
  watchDatabase({ database, takesWrites, writeTimes, metrics })
  watchJobs({ database, clock, metrics })
  watchProcesses(metrics)
  showBuild(metrics, { version, node: process.version, engine: database.engine, environment })
  const tracing =
    traces &&
    (await openTracing({ database, settings: traces, version, log, exportMs, onFault: fault('traces') }))
  return {
    metrics,
    fault,
    /** Counts an unexpected error that its part logs itself. */
    countFault,
    tracing,
    /** Counts, traces and, with the proxies that its log needs, logs every request. */
    requests(fetch: Fetch, logged: Proxies | false): Fetch {
      const accessLog = logged && new AccessLog(log, logged)
      return observed(fetch, {
        clock,
        tracing,
        requestId: () => newId(clock.now()),
        onAnswered(answered) {
          const { operation, status, ms } = answered
          requestSeconds.observe({ operation, status }, ms / 1_000)
          if (accessLog) accessLog.write(answered)
        },
      })
    },
  }
}

/** Shows which program runs, as labels of a number that is always 1. */
function showBuild(metrics: Pick<Metrics, 'watch'>, labels: Readonly<Record<string, string>>): void {
  const name = 'wigwag_build_info'
  const help = 'This process: always 1; the labels say which version runs, on which Node and engine.'
  metrics.watch([{ name, help, labels: Object.keys(labels), aggregator: 'max' }], async () => [
    { name, labels, value: 1 },
  ])
}

/** A request that was answered. */
interface Answered extends Exchange {
  operation: string
  status: number
  /** From its headers to the beginning of its answer. */
  ms: number
  /** The address of the peer, which may be a proxy, and what that says of the client. */
  peer: string | undefined
  forwardedFor: string | undefined
}

type Fetch = Hono['fetch']
type Bindings = HttpContext['env']

/** Tells of every request that an app answers. */
function observed(
  fetch: Fetch,
  {
    clock,
    onAnswered,
    requestId,
    tracing,
  }: {
    clock: Pick<Clock, 'elapsed'>
    onAnswered(answered: Answered): void
    /** Makes the id of a request that got none from the code that answered it, such as one for a page. */
    requestId(): string
    tracing: Tracing | undefined
  },
): Fetch {
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

interface Proxies {
  /** Address ranges of the proxies whose `X-Forwarded-For` is trusted. */
  trustedProxies: readonly string[]
  proxyWarnings: ProxyWarnings
}

/**
 * Writes a line for each request. It has no path, because paths and queries hold numbers, tickets and codes of sign-in;
 * the operation says what was asked.
 */
class AccessLog {
  readonly #lines: Logger
  readonly #clientAddress: TrustedProxies['clientAddress']

  constructor(log: Logger, { trustedProxies, proxyWarnings }: Proxies) {
    this.#clientAddress = new TrustedProxies(trustedProxies, proxyWarnings).clientAddress
    // A line is wanted even where the level of the log is higher. Looking for secrets in it would take longer than
    // writing it, and it has none.
    this.#lines = log.child({}, { level: 'info', redact: [] })
  }

  write(answered: Answered): void {
    const { operation, status, requestId, accountId, code, ms, peer, forwardedFor } = answered
    // A probe gets a line only when it fails.
    if (PROBES.has(operation) && status < 400) return
    const line = {
      requestId,
      account: accountId,
      operation,
      status,
      code,
      ms: Math.round(ms * 100) / 100,
      client: this.#clientAddress(peer, forwardedFor),
    }
    this.#lines.info(line, 'request')
  }
}
