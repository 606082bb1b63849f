import { createHttpHandler } from '@wigwag/mcp'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { openConnector } from '../fixtures/connector.ts'
import { isSend } from '../fixtures/message.ts'

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

describe('any body', () => {
  it('gets an answer of the protocol, sends nothing and causes no fault', async () => {
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
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.oneof(call, message).map((value) => JSON.stringify(value)),
          fc.json(),
          fc.string(),
        ),
        async (body) => {
          const request = new Request('http://connector.invalid/mcp', {
            method: 'POST',
            headers: HEADERS,
            body,
          })
          const { status } = await handle(request)
          expect([200, 202, 400]).toContain(status)
        },
      ),
      { numRuns: 500 },
    )
    expect(sends).toEqual([])
    expect(faults).toEqual([])
  })
})
