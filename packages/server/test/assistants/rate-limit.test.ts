import { describe, expect, it } from 'vitest'
import { eras } from '../../../mcp/test/fixtures/stateless.ts'
import { readAudit } from '../../src/store/audit/index.ts'
import { press } from '../console/forms.ts'
import { assistantToken, connect, WIDE } from '../support/assistants.ts'
import { aPlace, type Bench, ENGINES, openBench } from '../support/bench.ts'
import { basic } from '../support/harness.ts'
import { openWorld } from './oauth/world.ts'

const RESOURCE = 'http://127.0.0.1:8080/mcp'
const MESSAGE = { from: 'WIGWAG', to: '233241234567', content: 'Hello' }
const SINGLE = { From: 'WIGWAG', To: '233241234567', Content: 'Hello' }

async function ping({ app }: Bench, credentials: Record<string, string>, args: object = {}) {
  const { headers, body } = eras['2025-11-25']('tools/call', { name: 'send_sms', arguments: args })
  const init = { method: 'POST', headers: { ...headers, ...credentials }, body: JSON.stringify(body) }
  return app.fetch(new Request(RESOURCE, init))
}

async function bodies(bench: Bench, table: string): Promise<Record<string, unknown>[]> {
  return bench.database.read(({ run }) =>
    run(`SELECT * FROM ${table} WHERE action LIKE 'mcp %' OR action LIKE 'api %'`, []),
  )
}

describe.each(ENGINES)('the limit of requests on %s', (engine) => {
  const open = async (rateLimit?: { perSecond: number; burst: number }) =>
    openBench({ database: await aPlace(engine), config: { rateLimit } })

  it('holds at /mcp, for assistants and programs, together with the API', async () => {
    const bench = await open({ perSecond: 1, burst: 5 })
    const { demo } = bench
    const token = await assistantToken(bench, demo.accountId, { resource: RESOURCE })
    const program = { authorization: basic(demo), 'x-wallet': `Token ${demo.walletToken}` }
    for (const credentials of [{ authorization: `Bearer ${token}` }, program]) {
      const statuses: number[] = []
      // A call without arguments is refused before it asks anything of the API.
      for (let call = 0; call < 20; call++) statuses.push((await ping(bench, credentials)).status)
      expect(statuses).toEqual([...Array(5).fill(200), ...Array(15).fill(429)])
    }
    expect((await bench.call('GET', '/v1/account/balance')).status).toBe(429)
    bench.pass(1_000)
    expect((await ping(bench, program)).status).toBe(200)
  })

  it('keeps one row an hour of the writes that were refused, and one of each that was done', async () => {
    const bench = await open()
    const { demo } = bench
    const token = await assistantToken(bench, demo.accountId, { resource: RESOURCE })
    const { headers } = await connect(bench, demo.accountId, { ...WIDE, dailyMessages: 1 })
    for (let call = 0; call < 30; call++) {
      await ping(bench, { authorization: `Bearer ${token}` })
      await bench.call('POST', '/v1/messages/sms', headers, SINGLE)
    }
    await bench.until('what was refused is counted', async () => {
      const rows = await bodies(bench, 'audit_failures')
      return rows.some(({ action, failures }) => action === 'mcp send_sms' && Number(failures) === 30)
    })
    expect((await bodies(bench, 'audit')).map(({ action }) => action)).toEqual(['api sendSms'])
    const failures = await bodies(bench, 'audit_failures')
    expect(failures.map(({ action, failures }) => [action, Number(failures)]).toSorted()).toEqual([
      ['api sendSms', 29],
      ['mcp send_sms', 30],
    ])
    const filter = { accountId: demo.accountId, since: undefined, action: undefined }
    const seen = await bench.database.read((tx) => readAudit(tx, filter, 10))
    expect(seen.map(({ at }) => at)).toEqual(seen.map(({ at }) => at).toSorted((a, b) => b - a))
    expect(
      seen.filter(({ id }) => id === null).map(({ action, actor, detail }) => [action, actor, detail]),
    ).toEqual(
      expect.arrayContaining([
        [
          'api sendSms',
          expect.stringMatching(/^connection:/),
          expect.objectContaining({ outcome: 'limit_reached', times: 29 }),
        ],
        ['mcp send_sms', expect.any(String), expect.objectContaining({ times: 30 })],
      ]),
    )
  })

  it('leaves nothing in the journal of sends that were refused', async () => {
    const bench = await open()
    const limits = { ...WIDE, dailyMessages: 1 }
    const token = await assistantToken(bench, bench.demo.accountId, { resource: RESOURCE, limits })
    const journal = () =>
      bench.database.read(({ run }) => run('SELECT * FROM connector_sends ORDER BY at, id', []))
    const send = async (content: string) =>
      (await ping(bench, { authorization: `Bearer ${token}` }, { ...MESSAGE, content })).text()
    expect(await send('The first')).toContain('Accepted')
    const before = await journal()
    expect(before).toHaveLength(1)
    for (let call = 0; call < 5; call++) expect(await send(`Message ${call}`)).toContain('a day')
    expect(await journal()).toEqual(before)
  })
})

it('holds for the forms of a person', async () => {
  const world = await openWorld({ config: { rateLimit: { perSecond: 0.001, burst: 2 } } })
  const { person } = await world.resident()
  const page = await person.visit(`${world.url}/send`)
  const statuses: number[] = []
  for (let round = 0; round < 4; round++) {
    const { status } = await press(person, page, '/send', { From: 'WIGWAG', To: 'no number', Content: '' })
    statuses.push(status)
  }
  expect(statuses).toEqual([422, 422, 429, 429])
})
