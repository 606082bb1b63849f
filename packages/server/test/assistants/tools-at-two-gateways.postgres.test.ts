import { randomBytes } from 'node:crypto'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, expect, it } from 'vitest'
import { officialClients } from '../../../mcp/test/fixtures/clients.ts'
import { assistantToken, WIDE } from '../support/assistants.ts'
import { freshPostgres } from '../support/postgres.ts'
import { shareWorld } from './oauth/world.ts'

const { url: database, drop } = await freshPostgres()
const first = await shareWorld({ database })
const second = await shareWorld({ database })
// Hooks run the last one first, and this one when both are closed.
afterAll(drop)
second.gateway.servedAt(first.url)
const YES = { action: 'accept', content: { confirm: true } } as const
const gateways = [first.url, second.url]
const proxy = await startProxy()

/** Sends each request to the next gateway, under the name by which both are known, and counts. */
async function startProxy() {
  const counts = gateways.map(() => 0)
  let turn = 0
  const server = createServer((incoming, outgoing) => {
    const index = turn++ % gateways.length
    counts[index] = (counts[index] ?? 0) + 1
    const { method, url = '/', headers } = incoming
    const host = new URL(first.url).host
    const target = new URL(url, gateways[index])
    const passed = request(target, { method, headers: { ...headers, host }, agent: false }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    passed.on('error', () => outgoing.destroy())
    incoming.pipe(passed)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  afterAll(() => new Promise((resolve) => server.close(resolve)))
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/mcp`, counts }
}

it.each(Object.entries(officialClients))(
  'serve one assistant by turns, without a session: %s',
  async (name, connect) => {
    const { accountId } = await first.account(`person-${randomBytes(4).toString('hex')}`, 100_000_000)
    const resource = `${first.url}/mcp`
    const fresh = (allowed = WIDE) => assistantToken(first.gateway, accountId, { resource, limits: allowed })
    const token = await fresh({ ...WIDE, dailyMessages: 3 })
    const before = [...proxy.counts]
    const { names, call } = await connect({ url: proxy.url, token })
    expect(await names()).toHaveLength(10)
    expect(await call('get_balance')).toMatchObject({ isError: false, data: { currency: 'GHS' } })

    const message = { from: 'WIGWAG', to: '233241234567', content: 'Hello' }
    const keyed = { ...message, idempotency_key: 'once' }
    const [one, two] = [await call('send_sms', keyed), await call('send_sms', keyed)]
    expect([one.isError, two.isError]).toEqual([false, false])
    expect(two.data.ticket).toBe(one.data.ticket)
    expect(await call('send_sms', message)).toMatchObject({
      isError: true,
      text: expect.stringContaining('less than two minutes ago'),
    })

    for (const content of ['Second', 'Third']) {
      expect(await call('send_sms', { ...message, content })).toMatchObject({ isError: false })
    }
    expect(await call('send_sms', { ...message, content: 'Fourth' })).toMatchObject({
      isError: true,
      text: expect.stringMatching(/3 messages.* a day/),
    })
    const asking = await connect({ url: proxy.url, token: await fresh() }, () => YES)
    for (const content of ['Fifth', 'Sixth']) {
      expect(await asking.call('send_sms', { ...message, content })).toMatchObject({ isError: false })
      // A yes given at one gateway is the same yes at the other, and sends nothing more.
      expect(await asking.repeat()).toMatchObject({ isError: !name.includes('2026') })
    }
    expect((await asking.call('search_messages', { to: message.to })).data.messages).toHaveLength(5)
    const taken = proxy.counts.map((count, index) => count - (before[index] ?? 0))
    for (const count of taken) expect(count).toBeGreaterThan(2)
  },
)
