import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { describe, expect, it, onTestFinished } from 'vitest'
import { freshState, listening, openGateway, type Program, startProgram } from '../stdio/process.ts'

const MESSAGE = { from: 'WIGWAG', to: '233241234567', content: 'Hello' }
const HEADERS = { 'content-type': 'application/json' }
const PING = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })

describe('wigwag-mcp --http --unprotected', () => {
  it('serves the ten tools over HTTP, under the same limits', async () => {
    const { url, gateway } = await serve({ WIGWAG_MCP_DAILY_MESSAGES: '1' })
    const mcp = new Client({ name: 'test', version: '1' })
    const transport = new StreamableHTTPClientTransport(new URL(url))
    await mcp.connect(transport as Parameters<Client['connect']>[0])
    onTestFinished(() => mcp.close())
    expect((await mcp.listTools()).tools).toHaveLength(10)
    const sends = ['1', '2', '3'].map((content) =>
      mcp.callTool({ name: 'send_sms', arguments: { ...MESSAGE, content } }),
    )
    expect((await Promise.all(sends)).filter(({ isError }) => !isError)).toHaveLength(1)
    expect((await gateway.sandbox.client.searchMessages().page()).Items).toHaveLength(1)
  })

  it('answers a body that is too large before it has all come, and goes on', async () => {
    const { url } = await serve()
    const large = await fetch(url, { method: 'POST', headers: HEADERS, body: 'x'.repeat(20_000_000) })
    expect(large.status).toBe(413)
    const next = await fetch(url, { method: 'POST', headers: HEADERS, body: PING })
    expect(await next.json()).toEqual({ jsonrpc: '2.0', id: 1, result: {} })
  })

  it('takes a notification with 202, and has nothing at other addresses', async () => {
    const { url } = await serve()
    const body = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })
    expect((await fetch(url, { method: 'POST', headers: HEADERS, body })).status).toBe(202)
    expect((await fetch(new URL('/', url), { method: 'POST', headers: HEADERS, body: PING })).status).toBe(
      404,
    )
    expect((await fetch(new URL('/mcp/x', url))).status).toBe(404)
    expect((await fetch(url)).status).toBe(405)
  })

  it('answers what is under way when it is told to stop, and ends with 0', async () => {
    const arrived = Promise.withResolvers<void>()
    const { url, program } = await serve({}, async (request, gateway) => {
      if (request.method === 'POST') {
        arrived.resolve()
        await new Promise((resolve) => setTimeout(resolve, 1500))
      }
      return gateway(request)
    })
    const params = { name: 'send_sms', arguments: MESSAGE }
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
    const sent = fetch(url, { method: 'POST', headers: HEADERS, body })
    await arrived.promise
    program.child.kill('SIGTERM')
    expect(await (await sent).json()).toMatchObject({ result: { structuredContent: { status: 'pending' } } })
    expect((await program.ended).code).toBe(0)
  })
})

async function serve(
  env: Record<string, string> = {},
  before?: Parameters<typeof openGateway>[0],
): Promise<{ url: string; program: Program; gateway: Awaited<ReturnType<typeof openGateway>> }> {
  const gateway = await openGateway(before)
  const program = startProgram({ ...gateway.env, WIGWAG_MCP_STATE: freshState(), ...env }, [
    '--http',
    '--unprotected',
    '--port',
    '0',
  ])
  const url = await listening(program)
  return { url, program, gateway }
}
