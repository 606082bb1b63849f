import { AsyncLocalStorage } from 'node:async_hooks'
import { hostname } from 'node:os'
import type { Context, SpanContext } from '@opentelemetry/api'
import type { SpanExporter } from '@opentelemetry/sdk-trace'
import { type Clock, overWithin, systemClock } from '../../kernel/process/clock.ts'
import type { Logger } from '../../kernel/process/log.ts'
import { MINUTE_MS } from '../../kernel/time/spans.ts'
import type { Database } from '../../store/database.ts'
import { createTracing, type OpenSpan, type Tracer, type Tracing } from './tracing.ts'

export interface OpenTracingOptions {
  database: Database
  settings: { endpoint: string; headers: Readonly<Record<string, string>>; service: string; share: number }
  version: string
  log: Logger
  /** Of the stop. */
  clock?: Clock
  /** How long an export may take, with all that is tried again; 2 s when left out. */
  exportMs?: number | undefined
  onFault(error: unknown): void
}

/** How long a stop waits for the last export. */
const FLUSH_MS = 2_000
/** An export that is tried again keeps the process from ending, so it is no longer than the stop. */
const EXPORT_MS = FLUSH_MS
const MOST_WAITING = 8_192
const WARN_EVERY_MS = MINUTE_MS

/** Loads OpenTelemetry, which a gateway without traces does not. */
export async function openTracing(options: OpenTracingOptions): Promise<Tracing> {
  const { database, onFault } = options
  return createTracing({ tracer: await openTracer(options), database, onFault })
}

async function openTracer({
  settings,
  version,
  log,
  clock = systemClock,
  exportMs = EXPORT_MS,
}: OpenTracingOptions): Promise<Tracer> {
  const [api, sdk, { OTLPTraceExporter }, { resourceFromAttributes }] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
  ])
  const { endpoint, headers, service, share } = settings
  const exporter = new OTLPTraceExporter({
    url: `${endpoint}/v1/traces`,
    headers: { ...headers },
    timeoutMillis: exportMs,
  })
  const exporting = {
    exporter: telling(exporter, log),
    maxQueueSize: MOST_WAITING,
    exportTimeoutMillis: exportMs,
  }
  const ofShare = new sdk.TraceIdRatioBasedSampler(share)
  const provider = new sdk.TracerProvider({
    resource: resourceFromAttributes({
      'service.name': service,
      'service.version': version,
      'service.instance.id': `${hostname()}:${process.pid}`,
    }),
    // A caller's sampling flag turns its trace off, but never on: callers must not fill the collector.
    sampler: new sdk.ParentBasedSampler({ root: ofShare, remoteParentSampled: ofShare }),
    spanProcessors: [new sdk.BatchSpanProcessor(exporting)],
  })
  const tracer = provider.getTracer('wigwag', version)
  const spans = new AsyncLocalStorage<OpenSpan>()
  const kinds = {
    server: api.SpanKind.SERVER,
    client: api.SpanKind.CLIENT,
    internal: api.SpanKind.INTERNAL,
  }

  function contextOf(parent: string | undefined, isRemote: boolean): Context {
    const found = parent === undefined ? undefined : readTraceparent(parent)
    if (!found || !api.isSpanContextValid(found)) return api.ROOT_CONTEXT
    return api.trace.setSpanContext(api.ROOT_CONTEXT, { ...found, isRemote })
  }

  return {
    start(name, kind, { parent, at }) {
      const options = { kind: kinds[kind], ...(at !== undefined && { startTime: at }) }
      // The parents of others are requests of this gateway, whose sampling was decided here.
      const span = tracer.startSpan(name, options, contextOf(parent, kind === 'server'))
      const { traceId, spanId, traceFlags } = span.spanContext()
      const isSampled = (traceFlags & api.TraceFlags.SAMPLED) !== 0
      return {
        traceparent: isSampled ? `00-${traceId}-${spanId}-01` : undefined,
        end({ name: finalName, attributes, failed, at: endedAt }) {
          if (finalName !== undefined) span.updateName(finalName)
          for (const [key, value] of Object.entries(attributes))
            if (value !== undefined) span.setAttribute(key, value)
          if (failed) span.setStatus({ code: api.SpanStatusCode.ERROR })
          span.end(endedAt)
        },
      }
    },
    within: (span, work) => spans.run(span, work),
    current: () => spans.getStore(),
    now: systemClock.now,
    async stop() {
      const flushed = provider.shutdown().catch(() => undefined)
      await overWithin(clock, FLUSH_MS, flushed)
    },
  }
}

/** Says in the log that spans are lost, once a minute: without it, an exporter that fails would be silent. */
function telling(exporter: SpanExporter, log: Logger): SpanExporter {
  let from = Number.NEGATIVE_INFINITY
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        const now = systemClock.elapsed()
        if (result.error && now >= from) {
          from = now + WARN_EVERY_MS
          log.warn(
            { reason: result.error.message, spans: spans.length },
            'traces could not be exported, and are lost',
          )
        }
        done(result)
      })
    },
    forceFlush: async () => exporter.forceFlush?.(),
    shutdown: () => exporter.shutdown(),
  }
}

/** The header of W3C Trace Context; undefined when it is malformed. */
function readTraceparent(text: string): SpanContext | undefined {
  const [, version, traceId = '', spanId = '', flags = ''] =
    /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-|$)/.exec(text) ?? []
  if (version === undefined || version === 'ff') return undefined
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1 }
}
