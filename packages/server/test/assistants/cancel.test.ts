import { describe, expect, it } from 'vitest'
import { press } from '../console/forms.ts'
import { expectProblem } from '../routes/refuses.ts'
import { connect, tokenFor } from '../support/assistants.ts'
import { aPlace, type Bench, ENGINES, openBench } from '../support/bench.ts'
import { openWorld } from './oauth/world.ts'

const SCHEDULED = '/v1/messages/sms/scheduled'
const HOUR = 3_600_000
const MESSAGE = { From: 'WIGWAG', To: '233241234567', Content: 'Hello' }
type Headers = Parameters<Bench['call']>[2]

async function schedule(bench: Bench, headers: Headers, changes: object = {}): Promise<string> {
  const SendAt = new Date(bench.now() + HOUR).toISOString()
  const response = await bench.call('POST', SCHEDULED, headers, { ...MESSAGE, SendAt, ...changes })
  const { Ticket }: { Ticket: string } = await response.json()
  return Ticket
}

const cancel = (bench: Bench, headers: Headers, ticket: string) =>
  bench.call('DELETE', `${SCHEDULED}/${ticket}`, headers)

async function statusOf({ database }: Bench, ticket: string): Promise<string | undefined> {
  const rows = await database.read(({ run }) =>
    run<{ status: string }>('SELECT status FROM messages WHERE id = $1', [ticket]),
  )
  return rows[0]?.status
}

const schedulers = ({ database }: Bench) =>
  database.read(({ run }) => run('SELECT message_id FROM schedulers ORDER BY message_id', []))

describe.each(ENGINES)('cancelling by an assistant on %s', (engine) => {
  const open = async () => openBench({ database: await aPlace(engine) })

  it('is refused for what a program or another connection scheduled, and leaves it as it was', async () => {
    const bench = await open()
    const { accountId } = bench.demo
    const mine = await connect(bench, accountId)
    const other = await connect(bench, accountId)
    for (const ticket of [await schedule(bench, {}), await schedule(bench, other.headers)]) {
      await expectProblem(await cancel(bench, mine.headers, ticket), 'scheduled_elsewhere', {
        detail: /^This connection did not schedule .* Ask the person to cancel it on the page Scheduled\.$/,
      })
      expect(await statusOf(bench, ticket)).toBe('scheduled')
    }
    const failures = await bench.database.read(({ run }) =>
      run<{ action: string; failures: number }>('SELECT action, failures FROM audit_failures', []),
    )
    expect(failures).toEqual([{ action: 'api cancelScheduledSms', failures: 2 }])
  })

  it('works for its own messages, with any token of the connection, and again when it is done', async () => {
    const bench = await open()
    const mine = await connect(bench, bench.demo.accountId)
    const tickets = await Promise.all(
      ['one', 'two', 'three'].map((Content) => schedule(bench, mine.headers, { Content })),
    )
    const later = await tokenFor(bench, mine.id)
    for (const ticket of tickets) {
      for (const headers of [later, mine.headers]) {
        expect(await (await cancel(bench, headers, ticket)).json()).toMatchObject({ Status: 'cancelled' })
      }
    }
  })

  it('is not needed by the programs of the account, which cancel anything', async () => {
    const bench = await open()
    const { headers } = await connect(bench, bench.demo.accountId)
    const ticket = await schedule(bench, headers)
    expect((await cancel(bench, {}, ticket)).status).toBe(200)
  })

  it('keeps a row for what waits alone: none of a program, none of what has gone out', async () => {
    const bench = await open()
    const { id, headers } = await connect(bench, bench.demo.accountId)
    await schedule(bench, {})
    await bench.call('POST', '/v1/messages/sms', headers, MESSAGE)
    const gone = await schedule(bench, headers)
    const waits = await schedule(bench, headers, { SendAt: new Date(bench.now() + 9 * HOUR).toISOString() })
    expect(await schedulers(bench)).toEqual([gone, waits].toSorted().map((message_id) => ({ message_id })))
    await bench.until(
      'what has gone out is forgotten',
      async () => (await schedulers(bench)).length === 1,
      HOUR,
    )
    expect(await schedulers(bench)).toEqual([{ message_id: waits }])
    expect((await cancel(bench, await tokenFor(bench, id), waits)).status).toBe(200)
  })
})

it('is not needed by a person, who cancels what an assistant scheduled', async () => {
  const world = await openWorld()
  const { person, accountId } = await world.resident()
  const { headers } = await connect(world.gateway, accountId)
  const SendAt = new Date(Date.now() + HOUR).toISOString()
  const response = await fetch(`${world.url}${SCHEDULED}`, {
    method: 'POST',
    headers: { authorization: headers.authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ ...MESSAGE, SendAt }),
  })
  const { Ticket } = await response.json()
  const page = await person.visit(`${world.url}/scheduled`)
  const done = await press(person, page, `/scheduled/${Ticket}/cancel`)
  expect(done.url).toBe(`${world.url}/scheduled?done=cancelled`)
})
