import { expect, it, onTestFinished } from 'vitest'
import { type GatewayProcess, startGateway } from '../../../server/test/support/gateway-process.ts'
import { connectOverHttp, post } from '../fixtures/assistant.ts'
import { MESSAGE } from '../fixtures/message.ts'
import { freshFolder } from '../fixtures/process.ts'

async function serve(folder: string, env: Record<string, string> = {}): Promise<GatewayProcess> {
  const gateway = await startGateway(folder, env)
  onTestFinished(() => gateway.stop())
  return gateway
}

function headersFor({ exports }: GatewayProcess): Record<string, string> {
  const basic = Buffer.from(`${exports.WIGWAG_CLIENT_ID}:${exports.WIGWAG_CLIENT_SECRET}`).toString('base64')
  return { authorization: `Basic ${basic}`, 'x-wallet': `Token ${exports.WIGWAG_WALLET_TOKEN}` }
}

function addressOf({ exports }: GatewayProcess): string {
  return `${exports.WIGWAG_BASE_URL}/mcp`
}

const connect = (gateway: GatewayProcess) =>
  connectOverHttp(addressOf(gateway), { requestInit: { headers: headersFor(gateway) } })

it('serves only the tools that read until a daily spend is set', async () => {
  const { names, call } = await connect(await serve(freshFolder()))
  expect(await names()).toHaveLength(7)
  expect(await call('get_balance')).toMatchObject({ isError: false, text: expect.stringContaining('100') })
  expect(await call('send_sms', MESSAGE)).toMatchObject({ isError: true })
})

it('keeps a daily spend under concurrent calls, and after the gateway was killed', async () => {
  const folder = freshFolder()
  const env = { WIGWAG_MCP_DAILY_SPEND: '0.2' }
  const gateway = await serve(folder, env)
  const { names, call } = await connect(gateway)
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
  const again = await connect(await serve(folder, env))
  expect(await again.call('send_sms', { ...MESSAGE, content: 'One more' })).toMatchObject({ isError: true })
})

it('refuses calls without valid credentials, and calls from a foreign origin', async () => {
  const gateway = await serve(freshFolder())
  const url = addressOf(gateway)
  const stranger = await post(url)
  expect(stranger.status).toBe(401)
  expect(stranger.headers.get('www-authenticate')).toContain('Bearer resource_metadata=')
  expect((await post(url, { ...headersFor(gateway), 'x-wallet': 'Token other' })).status).toBe(403)
  expect((await post(url, { ...headersFor(gateway), origin: 'http://evil.example' })).status).toBe(403)
  expect((await post(url, headersFor(gateway))).status).toBe(200)
})
