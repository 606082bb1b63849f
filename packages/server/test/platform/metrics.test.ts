import { describe, expect, it } from 'vitest'
import { eras } from '../../../mcp/test/fixtures/stateless.ts'
import { eventually } from '../support/eventually.ts'
import { exposed } from '../support/exposed.ts'
import { basic, MESSAGE, openHarness } from '../support/harness.ts'

/** Units that Prometheus forbids in a name: it asks for base units, in full and in the plural. */
const UNIT = /(milliseconds|_ms|_minutes|_hours|_kb|_mb)(_|$)/

async function openMetrics() {
  const harness = await openHarness()
  const metrics = async () => exposed(await (await harness.metricsApp.request('/metrics')).text())
  return { ...harness, metrics }
}

describe('metrics', () => {
  it('have names, types and words as Prometheus asks, and say what they count', async () => {
    const { metrics, sendSms } = await openMetrics()
    await sendSms(MESSAGE)
    const families = [...(await metrics()).families.values()]
    expect(families.filter(({ name }) => name.startsWith('wigwag_')).length).toBeGreaterThan(25)
    for (const { name, type, help } of families) {
      expect(name.endsWith('_total'), name).toBe(type === 'counter')
      expect(name).not.toMatch(UNIT)
      if (type === 'histogram') expect(name).toMatch(/_seconds$/)
      if (name.startsWith('wigwag_'))
        expect(`${name}: ${help}`).toMatch(/: (This process|The database): .+\.$/)
    }
  })

  it('count requests by the operation of the document, and never by what strangers ask for', async () => {
    const { metrics, sendSms, getBalance, app } = await openMetrics()
    await sendSms(MESSAGE)
    await sendSms({ ...MESSAGE, To: '12' })
    await getBalance({ authorization: basic({ clientId: 'wc_none', clientSecret: 'x' }) })
    for (const path of ['/v1/nothing-233241234567', '/a/b?to=233241234567', '/livez', '/', '/mcp'])
      await app.fetch(new Request(`http://localhost${path}`))
    const { samples } = await metrics()
    const counted = samples
      .filter(({ name }) => name === 'wigwag_http_request_duration_seconds_count')
      .map(({ labels, value }) => [labels.operation, labels.status, value])
    expect(counted).toEqual(
      expect.arrayContaining([
        ['sendSms', '200', 1],
        ['sendSms', '422', 1],
        ['getBalance', '401', 1],
        ['nothing', '404', 2],
        ['health', '200', 1],
        ['page', '200', 1],
        ['connector', '405', 1],
      ]),
    )
    expect(JSON.stringify(samples)).not.toContain('233241234567')
  })

  it('count what a tool asks of the API as part of its call, and not as a request', async () => {
    const { metrics, app, own } = await openMetrics()
    const { headers, body } = eras['2026-07-28']('tools/call', { name: 'get_balance', arguments: {} })
    const init = { method: 'POST', headers: { ...own, ...headers }, body: JSON.stringify(body) }
    const answer = await app.fetch(new Request('http://127.0.0.1:8080/mcp', init))
    expect(await answer.text()).toContain('GHS')
    const counted = (await metrics()).samples
      .filter(({ name }) => name === 'wigwag_http_request_duration_seconds_count')
      .map(({ labels, value }) => [labels.operation, labels.status, value])
    expect(counted).toEqual([['connector', '200', 1]])
  })

  it('have a series for each final status from the start, so that the first message of one is an increase', async () => {
    const { metrics } = await openMetrics()
    const finals = (await metrics()).samples.filter(({ name }) => name === 'wigwag_messages_final_total')
    expect(finals.map(({ labels, value }) => [labels.status, value]).sort()).toEqual(
      ['cancelled', 'expired', 'failed', 'rejected', 'success', 'undelivered'].map((status) => [status, 0]),
    )
  })

  it('say how much work waits and for how long, by kind', async () => {
    const { metrics, sendSms, advance, database, now } = await openMetrics()
    const ofKind = async (name: string, kind: string) =>
      (await metrics()).samples.find((sample) => sample.name === name && sample.labels.kind === kind)?.value
    expect(await ofKind('wigwag_jobs', 'await')).toBe(0)
    await sendSms({ ...MESSAGE, To: '233240000005' })
    await advance(16_000)
    expect(await ofKind('wigwag_jobs', 'await')).toBe(1)
    expect(await ofKind('wigwag_jobs_oldest_due_seconds', 'await')).toBe(0)
    const due = now().getTime() - 90_000
    await database.write(({ run }) => run('UPDATE outbox SET run_at = $1, lease_until = 0', [due]))
    await database.write(({ run }) => run("UPDATE outbox SET lane = 'gone'", []))
    // The last reading is shown for 15 s.
    expect(await ofKind('wigwag_jobs_oldest_due_seconds', 'await')).toBe(0)
    await advance(16_000)
    expect(await ofKind('wigwag_jobs_oldest_due_seconds', 'await')).toBe(106)
  })

  it('count the jobs that fail each time, by kind, for as long as they do', async () => {
    const { metrics, database, sendSms } = await openMetrics()
    const aside = async () =>
      (await metrics()).samples.flatMap(({ name, labels, value }) =>
        name === 'wigwag_jobs_set_aside' ? [[labels.kind, value]] : [],
      )
    expect(await aside()).toEqual([])
    await sendSms({ ...MESSAGE, To: '233240000005' })
    const taken = () =>
      database.read(({ run }) => run('SELECT 1 AS one FROM outbox WHERE submitted_at > 0', []))
    await eventually('the carrier took it', async () => (await taken()).length === 1)
    await database.write(({ run }) => run('UPDATE outbox SET faults = 7', []))
    expect(await aside()).toEqual([['await', 1]])
    await database.write(({ run }) => run('UPDATE outbox SET faults = 0', []))
    expect(await aside()).toEqual([])
  })

  it('of several processes add up, but for what all of them read in the database', async () => {
    const { snapshot } = await openHarness()
    const together = new Map(
      (await snapshot()).map(({ name, help, aggregator }) => [name, { help, aggregator }]),
    )
    for (const [name, { help, aggregator }] of together)
      if (help.startsWith('The database:')) expect(`${name}: ${aggregator}`).toBe(`${name}: max`)
    const how = (name: string) => together.get(name)?.aggregator
    expect(how('wigwag_jobs')).toBe('max')
    expect(how('wigwag_messages_accepted_total')).toBe('sum')
    expect(how('wigwag_http_request_duration_seconds')).toBe('sum')
    expect(how('wigwag_database_connections_max')).toBe('sum')
    expect(how('wigwag_store_writable')).toBe('min')
    expect(how('wigwag_carrier_up')).toBe('average')
  })

  it('say which program runs', async () => {
    const { metrics } = await openMetrics()
    const build = (await metrics()).samples.find(({ name }) => name === 'wigwag_build_info')
    expect(build).toMatchObject({
      value: 1,
      labels: { node: process.version, engine: 'sqlite', environment: 'sandbox' },
    })
    expect(build?.labels.version).toMatch(/^\d+\.\d+\.\d+$/)
  })
})
