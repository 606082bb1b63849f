import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { expect, it, onTestFinished } from 'vitest'
import { type GatewayProcess, startGateway } from '../../../../examples/gateway-process.ts'

const MESSAGE = { from: 'WIGWAG', to: '233241234567', content: 'Hello' }

async function aFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'wigwag-mcp-gateway-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

async function serve(folder: string, env: Record<string, string> = {}): Promise<GatewayProcess> {
  const gateway = await startGateway(folder, env)
  onTestFinished(() => gateway.stop())
  return gateway
}

function headersFor({ exports }: GatewayProcess): Record<string, string> {
  const basic = Buffer.from(`${exports.WIGWAG_CLIENT_ID}:${exports.WIGWAG_CLIENT_SECRET}`).toString('base64')
  return { authorization: `Basic ${basic}`, 'x-wallet': `Token ${exports.WIGWAG_WALLET_TOKEN}` }
}

/** The protocol library's own client, as an assistant's program would make it. */
async function assistant(gateway: GatewayProcess, headers = headersFor(gateway)) {
  const client = new Client({ name: 'test', version: '1' })
  const url = new URL(`${gateway.exports.WIGWAG_BASE_URL}/mcp`)
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }))
  onTestFinished(() => client.close())
  return {
    names: async () => (await client.listTools()).tools.map(({ name }) => name),
    async call(name: string, args: Record<string, unknown> = {}) {
      const { content, isError = false } = await client.callTool({ name, arguments: args })
      const [part] = content as { text?: string }[]
      return { isError, text: part?.text ?? '' }
    },
  }
}

it('serves only what reads until somebody sets a daily spend', async () => {
  const { names, call } = await assistant(await serve(await aFolder()))
  expect(await names()).toHaveLength(7)
  expect(await call('get_balance')).toMatchObject({ isError: false, text: expect.stringContaining('100') })
  expect(await call('send_sms', MESSAGE)).toMatchObject({ isError: true })
})

it('holds a daily spend against calls at once, and after the gateway was killed', async () => {
  const folder = await aFolder()
  const env = { WIGWAG_MCP_DAILY_SPEND: '0.2' }
  const gateway = await serve(folder, env)
  const { names, call } = await assistant(gateway)
  expect(await names()).toHaveLength(10)
  const { text: price } = await call('estimate_cost', { to: MESSAGE.to, content: MESSAGE.content })
  const cost = Number(/^cost: ([\d.]+)$/m.exec(price)?.[1])
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, index) => call('send_sms', { ...MESSAGE, content: `Hello ${index}` })),
  )
  const sent = answers.filter(({ isError }) => !isError).length
  expect(sent).toBeGreaterThan(0)
  expect(sent).toBe(Math.floor(0.2 / cost))
  for (const { text } of answers.filter(({ isError }) => isError)) expect(text).toContain('a day')
  await gateway.kill()
  const again = await assistant(await serve(folder, env))
  expect(await again.call('send_sms', { ...MESSAGE, content: 'One more' })).toMatchObject({ isError: true })
})

it('turns away whoever does not show the credentials of the API, and calls under a strange name', async () => {
  const gateway = await serve(await aFolder())
  const post = (headers: Record<string, string>) =>
    fetch(`${gateway.exports.WIGWAG_BASE_URL}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    })
  const stranger = await post({})
  expect(stranger.status).toBe(401)
  expect(stranger.headers.get('www-authenticate')).toContain('Bearer resource_metadata=')
  expect((await post({ ...headersFor(gateway), 'x-wallet': 'Token other' })).status).toBe(403)
  expect((await post({ ...headersFor(gateway), origin: 'http://evil.example' })).status).toBe(403)
  expect((await post(headersFor(gateway))).status).toBe(200)
})
