import { describe, expect, it } from 'vitest'
import { eras } from '../../../mcp/test/fixtures/stateless.ts'
import { aPlace, type Bench, ENGINES, openBench } from '../support/bench.ts'
import { basic } from '../support/harness.ts'

const PUBLIC = 'https://sms.example.com'

/** Calls a tool with the API's credentials, under a host name. */
async function callTool({ app, demo }: Bench, host = 'http://127.0.0.1:8080', secret = demo.clientSecret) {
  const { headers, body } = eras['2025-11-25']('tools/call', { name: 'get_balance', arguments: {} })
  const authorization = basic({ ...demo, clientSecret: secret })
  const credentials = { authorization, 'x-wallet': `Token ${demo.walletToken}` }
  const init = { method: 'POST', headers: { ...headers, ...credentials }, body: JSON.stringify(body) }
  return app.fetch(new Request(`${host}/mcp`, init))
}

describe.each(ENGINES)('a program that calls the tools with API credentials, on %s', (engine) => {
  it('is listed with its last use of them, to the minute, and not before', async () => {
    const bench = await openBench({ database: await aPlace(engine) })
    const { demo, connections } = bench
    const programs = () => connections.programs(demo.accountId)
    await bench.call('GET', '/v1/account/balance')
    expect((await callTool(bench, undefined, 'wrong')).status).toBe(401)
    await bench.advance(2_000)
    expect(await programs()).toEqual([])

    const first = bench.now()
    expect((await callTool(bench)).status).toBe(200)
    await bench.advance(2_000)
    expect(await programs()).toEqual([{ clientId: demo.clientId, lastUsedAt: first }])
    await callTool(bench)
    await bench.advance(60_000)
    expect(await programs()).toEqual([{ clientId: demo.clientId, lastUsedAt: first }])
    const later = bench.now()
    await callTool(bench)
    await bench.advance(2_000)
    expect(await programs()).toEqual([{ clientId: demo.clientId, lastUsedAt: later }])
  })
})

it('the tools answer under the public address without WIGWAG_MCP_HOSTS, and under no other', async () => {
  const bench = await openBench({ config: { publicUrl: PUBLIC } })
  expect((await callTool(bench, PUBLIC)).status).toBe(200)
  expect((await callTool(bench)).status).toBe(200)
  expect((await callTool(bench, 'https://other.example.com')).status).toBe(403)
})

it('a request without credentials is told of both kinds', async () => {
  const { app } = await openBench()
  const { headers, body } = eras['2025-11-25']('tools/list')
  const request = new Request('http://127.0.0.1:8080/mcp', {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  })
  const response = await app.fetch(request)
  expect(response.status).toBe(401)
  expect(await response.text()).toMatch(/an access token, or .*Basic .*X-Wallet: Token/)
})
