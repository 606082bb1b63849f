import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { createClient, type Hooks } from '@wigwag/sdk'
import { afterAll, expect, it } from 'vitest'
import { snippetsOf } from './snippets.ts'

const [recipe] = snippetsOf(join(import.meta.dirname, '../../../../docs/sdk/opentelemetry.md'))
const folder = mkdtempSync(join(import.meta.dirname, '.recipe-'))
const exporter = new InMemorySpanExporter()
const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
afterAll(async () => {
  trace.disable()
  rmSync(folder, { recursive: true })
})

it('the recipe makes a span of every request, which tells calls and attempts apart and no secrets', async () => {
  trace.setGlobalTracerProvider(provider)
  const file = join(folder, recipe?.file ?? '')
  writeFileSync(file, recipe?.code ?? '')
  const { tracing }: { tracing: Hooks } = await import(file)
  const answers = [
    new Response('', { status: 503 }),
    Response.json({ Ticket: 'ticket', Status: 'pending' }, { headers: { 'x-request-id': 'request-2' } }),
    Response.json({ balance: 1, currency: 'GHS', asOf: '2026-11-20T09:31:00.000Z' }),
  ]
  const sms = createClient({
    baseUrl: 'http://gateway.test',
    accessToken: 'secret-token',
    clock: { now: () => 0, sleep: async () => {} },
    fetch: async () => answers.shift() ?? Response.error(),
    ...tracing,
  })

  await sms.sendSms({ From: 'ACME', To: '233201234567', Content: 'Hello' }, { idempotencyKey: 'order-1' })
  await sms.getBalance()

  const spans = exporter.getFinishedSpans()
  expect(
    spans.map(({ name, kind, attributes, status }) => ({ name, kind, code: status.code, ...attributes })),
  ).toMatchObject([
    {
      name: 'sendSms',
      kind: SpanKind.CLIENT,
      code: SpanStatusCode.ERROR,
      'http.request.resend_count': 0,
      'http.response.status_code': 503,
      'error.type': 'GatewayError',
      'wigwag.idempotency_key': 'order-1',
    },
    {
      name: 'sendSms',
      code: SpanStatusCode.UNSET,
      'http.request.resend_count': 1,
      'http.response.status_code': 200,
      'wigwag.request_id': 'request-2',
    },
    { name: 'getBalance', 'http.request.resend_count': 0, 'http.response.status_code': 200 },
  ])
  const [first, second, other] = spans.map(({ attributes }) => attributes['wigwag.call_id'])
  expect(first).toBe(second)
  expect(other).not.toBe(first)
  expect(JSON.stringify(spans.map(({ name, attributes }) => [name, attributes]))).not.toMatch(
    /233201234567|Hello|secret-token/,
  )
})
