import { createHttpHandler } from '@wigwag/mcp'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { openConnector } from '../fixtures/connector.ts'
import { isSend } from '../fixtures/message.ts'
import { envelope, STATELESS } from '../fixtures/stateless.ts'

const HEADERS = { 'content-type': 'application/json', accept: 'application/json' }
const METHODS = [
  'initialize',
  'ping',
  'tools/list',
  'tools/call',
  'notifications/initialized',
  'logging/setLevel',
]

/** A call that only its arguments can spoil. */
const call = fc.record({
  jsonrpc: fc.constant('2.0'),
  id: fc.integer(),
  method: fc.constant('tools/call'),
  params: fc.record({
    name: fc.constantFrom('send_sms', 'schedule_sms', 'get_rates', 'get_message_status'),
    arguments: fc.dictionary(
      fc.constantFrom('from', 'to', 'content', 'id', 'country', 'limit'),
      fc.jsonValue(),
    ),
  }),
})

const message = fc.record(
  {
    jsonrpc: fc.oneof(fc.constant('2.0'), fc.jsonValue()),
    id: fc.oneof(fc.integer(), fc.string(), fc.jsonValue()),
    method: fc.oneof(fc.constantFrom(...METHODS), fc.jsonValue()),
    params: fc.oneof(
      fc.jsonValue(),
      fc.record(
        {
          name: fc.oneof(fc.constantFrom('get_balance', 'send_sms', 'get_rates'), fc.jsonValue()),
          arguments: fc.oneof(
            fc.jsonValue(),
            fc.record(
              { from: fc.jsonValue(), to: fc.jsonValue(), content: fc.jsonValue() },
              { requiredKeys: [] },
            ),
          ),
          _meta: fc.jsonValue(),
          task: fc.jsonValue(),
        },
        { requiredKeys: [] },
      ),
    ),
  },
  { requiredKeys: [] },
)

/** A message that says it is of 2026-07-28, in its headers, in itself or in both. */
const stateless = fc.record({
  headers: fc.record(
    {
      'mcp-protocol-version': fc.constantFrom(STATELESS, '2025-11-25', '2027-01-01', 'x'),
      'mcp-method': fc.constantFrom(...METHODS, 'server/discover'),
      'mcp-name': fc.constantFrom('send_sms', 'get_rates', '=?base64?!?=', ''),
    },
    { requiredKeys: [] },
  ),
  body: fc.oneof(call, message).map((value) => {
    const { params } = value
    const isObject = typeof params === 'object' && params !== null && !Array.isArray(params)
    return isObject ? { ...value, params: { ...params, _meta: envelope() } } : value
  }),
})

describe('any body', () => {
  async function serve() {
    const sends: unknown[] = []
    const { identity, faults } = await openConnector({
      before: (request, gateway) => {
        if (isSend(request)) sends.push(request)
        return gateway(request)
      },
    })
    const handle = createHttpHandler({
      identify: async () => identity,
      allowedHosts: ['connector.invalid'],
      onFault: (error) => faults.push(error),
    })
    const post = (body: string, headers = {}) =>
      handle(
        new Request('http://connector.invalid/mcp', {
          method: 'POST',
          headers: { ...HEADERS, ...headers },
          body,
        }),
      )
    return { post, sends, faults }
  }

  it('gets an answer of the protocol, sends nothing and causes no fault', async () => {
    const { post, sends, faults } = await serve()
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.oneof(call, message).map((value) => JSON.stringify(value)),
          fc.json(),
          fc.string(),
        ),
        async (body) => {
          const { status } = await post(body)
          expect([200, 202, 400]).toContain(status)
        },
      ),
      { numRuns: 250 },
    )
    expect(sends).toEqual([])
    expect(faults).toEqual([])
  })

  it('of 2026-07-28 does so as well, under any headers', async () => {
    const { post, sends, faults } = await serve()
    await fc.assert(
      fc.asyncProperty(stateless, async ({ headers, body }) => {
        const { status } = await post(JSON.stringify(body), headers)
        expect([200, 202, 400, 404]).toContain(status)
      }),
      { numRuns: 250 },
    )
    expect(sends).toEqual([])
    expect(faults).toEqual([])
  })
})
