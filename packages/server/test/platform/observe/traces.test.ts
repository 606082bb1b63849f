import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { pino } from 'pino'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Config, loadConfig } from '../../../src/config/config.ts'
import { openTracing } from '../../../src/flow/observe/open-tracing.ts'
import { pruneTraces } from '../../../src/flow/observe/tracing.ts'
import { compose } from '../../../src/gateway/compose.ts'
import type { RunOptions } from '../../../src/gateway/operator-parts.ts'
import { epochMs } from '../../../src/kernel/ids.ts'
import { systemClock } from '../../../src/kernel/process/clock.ts'
import { listen } from '../../../src/net/server/listen.ts'
import { createMovedClock } from '../../../src/testing/clock.ts'
import { type EngineName, makePlace, open } from '../../support/engine.ts'
import { eventually } from '../../support/eventually.ts'
import { callWith, openFront, SINGLE, single } from '../../support/front.ts'
import { handClock } from '../../support/hand-clock.ts'
import { basic } from '../../support/harness.ts'
import { turns } from '../../support/turns.ts'
import { startRawReceiver } from '../outbound/receiver.ts'
import { openCollector, openReceiver } from './collector.ts'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const CALLER = 'b7ad6b7169203331'
const SAMPLED = `00-${TRACE}-${CALLER}-01`

type Traces = NonNullable<Config['traces']>

const settingsOf = (endpoint: string, changes: Partial<Traces> = {}): Traces => ({
  endpoint,
  headers: { 'x-key': 'of the collector' },
  service: 'wigwag',
  share: 1,
  ...changes,
})

async function openTraced(
  engine: EngineName,
  changes: Partial<Traces> = {},
  options: Partial<RunOptions> = {},
) {
  const place = await makePlace(engine)
  const collector = await openCollector()
  const receiver = await openReceiver()
  const front = await openFront(place.url, { traces: settingsOf(collector.url, changes) }, options)
  onTestFinished(async () => {
    await front.close().catch(() => undefined)
    await place.remove()
  })
  const account = await front.account('traced', 1_000_000_000)
  const send = (traceparent: string | undefined, url = front.url) =>
    callWith(
      url,
      {
        authorization: basic(account),
        'x-wallet': `Token ${account.walletToken}`,
        ...(traceparent !== undefined && { traceparent }),
      },
      {
        path: SINGLE,
        body: { ...single(), Content: 'top secret', CallbackUrl: `${receiver.url}/hook?key=hidden` },
      },
    )
  const posted = () => eventually('the callback comes', async () => receiver.requests.length > 0)
  return { place, collector, receiver, front, account, send, posted }
}

describe.each(['an SQLite file', 'PostgreSQL'] as const)('traces on %s', (engine) => {
  it('go from the caller over the request to the carrier, the end and the callback', async () => {
    const { collector, receiver, front, account, send, posted } = await openTraced(engine)
    const { headers } = await send(SAMPLED)
    await posted()
    await front.close()
    const spans = collector.spans()
    const [request] = spans.filter(({ name }) => name === 'sendSms')
    expect(request).toMatchObject({
      traceId: TRACE,
      parentSpanId: CALLER,
      kind: 2,
      attributes: { 'wigwag.request_id': headers.get('x-request-id'), 'http.response.status_code': 200 },
    })
    const beneath = spans.filter(({ parentSpanId }) => parentSpanId === request?.spanId)
    expect(beneath.map(({ name }) => name).sort()).toEqual(['callback', 'final', 'submit'])
    for (const { traceId, failed } of beneath) expect([traceId, failed]).toEqual([TRACE, false])
    const callback = beneath.find(({ name }) => name === 'callback')
    expect(callback?.attributes).toMatchObject({ 'http.response.status_code': 200, 'wigwag.attempt': 1 })
    expect(receiver.requests[0]?.headers.traceparent).toBe(`00-${TRACE}-${callback?.spanId}-01`)
    expect(collector.requests[0]).toMatchObject({
      path: '/v1/traces',
      headers: { 'x-key': 'of the collector' },
    })
    const { clientId, clientSecret, walletToken } = account
    for (const secret of ['233241234567', 'top secret', 'hidden', clientId, clientSecret, walletToken])
      expect(collector.text()).not.toContain(secret)
  })

  it('begin here when the caller has none, and leave out health checks', async () => {
    const { collector, front, send, posted } = await openTraced(engine)
    await fetch(`${front.url}/readyz`)
    await send(undefined)
    await posted()
    await front.close()
    const spans = collector.spans()
    expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1)
    expect(spans.filter(({ parentSpanId }) => !parentSpanId).map(({ name }) => name)).toEqual(['sendSms'])
  })

  it('are left out when the caller or the share says so, with all that follows', async () => {
    const { collector, receiver, front, send, posted } = await openTraced(engine)
    await send(`00-${TRACE}-${CALLER}-00`)
    await posted()
    const [kept] = await front.gateway.database.read(({ run }) =>
      run<{ kept: number }>('SELECT count(*) AS kept FROM traces', []),
    )
    await front.close()
    expect(kept?.kept).toBe(0)
    expect(collector.requests).toEqual([])
    expect(receiver.requests[0]?.headers.traceparent).toBeUndefined()
    const none = await openTraced(engine, { share: 0 })
    await none.send(SAMPLED)
    await none.posted()
    await none.front.close()
    expect(none.collector.requests).toEqual([])
  })
})

describe('traces', () => {
  it('are one trace when another gateway does the work', async () => {
    const clock = createMovedClock(epochMs(Date.now()))
    const worker = { service: 'worker' }
    const { place, collector, receiver, front, send } = await openTraced('PostgreSQL', worker, { clock })
    const config = loadConfig({ database: place.url }, {}, import.meta.dirname)
    const traces = settingsOf(collector.url, { service: 'front' })
    // It takes requests and never starts its worker.
    const log = pino({ level: 'silent' })
    const idle = await compose({ ...config, traces }, { clock: systemClock, log, onFatal() {} })
    const { app, requestId } = idle
    const listener = await listen({ app, host: '127.0.0.1', port: 0, requestId })
    await send(SAMPLED, listener.url)
    await eventually('the callback comes', () => {
      clock.moveTo(epochMs(clock.now() + 1_000))
      return receiver.requests.length > 0
    })
    await listener.close(1_000)
    await Promise.all([front.close(), idle.stop()])
    const spans = collector.spans()
    const request = spans.find(({ name }) => name === 'sendSms')
    expect(request).toMatchObject({ service: 'front', parentSpanId: CALLER })
    const done = spans.filter(({ service }) => service === 'worker')
    expect(done.map(({ name }) => name).sort()).toEqual(['callback', 'final', 'submit'])
    for (const { traceId, parentSpanId } of done)
      expect([traceId, parentSpanId]).toEqual([TRACE, request?.spanId])
  })

  it('that a collector refuses are told in the log', async () => {
    const lines: string[] = []
    const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) })
    const { url } = await openReceiver({ status: 401 })
    const front = await openFront(':memory:', { traces: settingsOf(url) }, { log })
    await callWith(front.url, {}, { path: SINGLE, body: single() })
    await front.close()
    expect(lines.join('')).toContain('traces could not be exported, and are lost')
  })

  it('that no collector takes hold up no answers', async () => {
    const traces = settingsOf('http://127.0.0.1:1')
    // Too short for another try.
    const front = await openFront(':memory:', { traces }, { exportTracesMs: 500 })
    const { status } = await callWith(front.url, { traceparent: SAMPLED }, { path: SINGLE, body: single() })
    expect(status).toBe(401)
    await front.close()
  })

  it('that a collector keeps silent about hold up the stop for two seconds', async () => {
    const collector = await startRawReceiver(() => undefined)
    const clock = handClock()
    const database = open(':memory:')
    onTestFinished(() => database.close())
    const tracing = await openTracing({
      database,
      clock,
      version: '1',
      log: pino({ level: 'silent' }),
      onFault: expect.unreachable,
      settings: settingsOf(collector.url.replace(/\/$/, '')),
    })
    tracing.start('a span', 'internal', { parent: undefined }).end({ attributes: {}, failed: false })
    let isStopped = false
    const stopping = tracing.stop().then(() => {
      isStopped = true
    })
    await eventually('it is exported', () => collector.received().startsWith('POST /v1/traces'))
    clock.pass(1_999)
    await turns()
    expect(isStopped).toBe(false)
    clock.pass(1)
    await turns()
    expect(isStopped).toBe(true)
    await stopping
  })

  it('are kept until the last callback of their messages can have been tried, and deleted then', async () => {
    const { front, send, posted } = await openTraced('an SQLite file')
    await send(SAMPLED)
    await posted()
    const { database } = front.gateway
    const ends = () =>
      database.read(({ run }) => run<{ endsAt: number }>('SELECT ends_at AS "endsAt" FROM traces', []))
    const [{ endsAt } = { endsAt: 0 }] = await ends()
    const days = (endsAt - Date.now()) / 86_400_000
    expect([Math.floor(days * 10), (await ends()).length]).toEqual([expect.closeTo(90, -1), 1])
    await database.write((tx) => pruneTraces(tx, epochMs(endsAt)))
    expect(await ends()).toHaveLength(1)
    await database.write((tx) => pruneTraces(tx, epochMs(endsAt + 1)))
    expect(await ends()).toEqual([])
  })

  it('cost a gateway without them no loading of their library', () => {
    const folder = fileURLToPath(new URL('../../../src/', import.meta.url))
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
      /\.tsx?$/.test(file),
    )
    const loads = files.filter((file) =>
      /^(?:import|export) (?!type )[^']*from '@opentelemetry/m.test(readFileSync(join(folder, file), 'utf8')),
    )
    expect(files.length).toBeGreaterThan(200)
    expect(loads).toEqual([])
  })

  it('are turned on by the standard setting, and off by default', () => {
    const traces = (env: Record<string, string>) => loadConfig({}, env).traces
    expect(traces({})).toBeUndefined()
    const on = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318/' }
    expect(traces(on)).toEqual({
      endpoint: 'http://127.0.0.1:4318',
      headers: {},
      service: 'wigwag',
      share: 1,
    })
    expect(traces({ ...on, OTEL_SDK_DISABLED: 'true' })).toBeUndefined()
    const more = {
      OTEL_EXPORTER_OTLP_HEADERS: 'a=1,b=x%20y',
      OTEL_SERVICE_NAME: 'sms',
      OTEL_TRACES_SAMPLER_ARG: '0.1',
    }
    expect(traces({ ...on, ...more })).toMatchObject({
      headers: { a: '1', b: 'x y' },
      service: 'sms',
      share: 0.1,
    })
    expect(() => traces({ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' })).toThrow(
      'OTEL_EXPORTER_OTLP_ENDPOINT: expected',
    )
    expect(() => traces({ ...on, OTEL_TRACES_SAMPLER_ARG: '2' })).toThrow(
      'expected a part from 0 to 1, got "2"',
    )
    for (const wrong of ['secret', 'key=secret%'])
      expect(() => traces({ ...on, OTEL_EXPORTER_OTLP_HEADERS: wrong })).toThrow(
        /^OTEL_EXPORTER_OTLP_HEADERS: ((?!secret).)*$/,
      )
  })
})
