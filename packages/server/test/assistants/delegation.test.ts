import { micros } from '@wigwag/contract'
import { describe, expect, it } from 'vitest'
import { Delegation } from '../../src/assistants/delegation.ts'
import { CommitUncertain, RowLocked, StoreUnavailable } from '../../src/store/database.ts'
import { createMovedClock } from '../../src/testing/clock.ts'
import { schedule } from '../isolation/scheduling.ts'
import { expectProblem } from '../routes/refuses.ts'
import { type Assistant, asOwner, connect, tokenFor, WIDE } from '../support/assistants.ts'
import { aPlace, type Bench, ENGINES, openBench } from '../support/bench.ts'
import { MESSAGE } from '../support/harness.ts'

const A_DAY = 86_400_000
const A_MINUTE = 60_000
const send = ({ call }: Bench, { headers }: Pick<Assistant, 'headers'>, fields: object = {}) =>
  call('POST', '/v1/messages/sms', headers, { ...MESSAGE, ...fields })
const balance = ({ call }: Bench, { headers }: Pick<Assistant, 'headers'>) =>
  call('GET', '/v1/account/balance', headers)
const invalid = { headers: { 'www-authenticate': 'Bearer error="invalid_token"' } }

describe.each(ENGINES)('a token of a connection on %s', (engine) => {
  const open = async (startAt?: number) =>
    openBench({ database: await aPlace(engine), ...(startAt === undefined ? {} : { startAt }) })
  const viewOf = async ({ connections, demo }: Bench) => (await connections.list(demo.accountId))[0]

  it('is good for five minutes', async () => {
    const bench = await open()
    const assistant = await connect(bench, bench.demo.accountId)
    await bench.advance(5 * A_MINUTE - 1)
    expect((await balance(bench, assistant)).status).toBe(200)
    await bench.advance(1)
    await expectProblem(await balance(bench, assistant), 'invalid_credentials', invalid)
    const again = { headers: await tokenFor(bench, assistant.id) }
    expect((await balance(bench, again)).status).toBe(200)
  })

  it('is forgotten within an hour after it has expired, and none before', async () => {
    const bench = await open()
    const { id } = await connect(bench, bench.demo.accountId)
    await bench.advance(58 * A_MINUTE)
    await tokenFor(bench, id)
    const kept = async () =>
      (await bench.database.read(({ run }) => run('SELECT 1 FROM delegated_tokens', []))).length
    expect(await kept()).toBe(2)
    await bench.advance(4 * A_MINUTE)
    expect(await kept()).toBe(1)
  })

  it('fails on the next call after its connection was revoked, and leaves those of others alone', async () => {
    const bench = await open()
    const { accountId } = bench.demo
    const [one, other] = [await connect(bench, accountId), await connect(bench, accountId)]
    expect((await send(bench, one)).status).toBe(200)
    await bench.connections.revoke(asOwner(accountId), one.id)
    await expectProblem(await send(bench, one), 'invalid_credentials', invalid)
    await expectProblem(await balance(bench, one), 'invalid_credentials', invalid)
    expect((await send(bench, other)).status).toBe(200)
    await bench.connections.endByGrant(other.grantId, 'revoked by the client')
    await expectProblem(await send(bench, other), 'invalid_credentials', invalid)
  })

  it('is worth nothing when it is made for a connection that has ended', async () => {
    const bench = await open()
    const { id } = await connect(bench, bench.demo.accountId)
    await bench.connections.revoke(asOwner(bench.demo.accountId), id)
    const late = { headers: await tokenFor(bench, id) }
    await expectProblem(await balance(bench, late), 'invalid_credentials', invalid)
  })

  it('fails on the next call while its account is suspended', async () => {
    const bench = await open()
    const assistant = await connect(bench, bench.demo.accountId)
    expect((await send(bench, assistant)).status).toBe(200)
    await bench.operator.setStatus(bench.demo.accountId, 'suspended')
    await expectProblem(await send(bench, assistant), 'account_suspended')
    await expectProblem(await balance(bench, assistant), 'account_suspended')
    await bench.operator.setStatus(bench.demo.accountId, 'active')
    expect((await send(bench, assistant)).status).toBe(200)
  })

  it('sends within the limits of the very moment, which the person may have changed', async () => {
    const bench = await open()
    const { demo, connections } = bench
    const assistant = await connect(bench, demo.accountId)
    const change = (limits: object) =>
      connections.changeLimits(asOwner(demo.accountId), assistant.id, { ...WIDE, ...limits })
    expect((await send(bench, assistant)).status).toBe(200)
    await change({ dailyMessages: 1 })
    await expectProblem(await send(bench, assistant), 'limit_reached', {
      detail:
        'This connection may send 1 message a day and has 0 left; this is 1 message. The day ends at midnight UTC.',
    })
    await change({ dailySpend: micros(80_000) })
    await expectProblem(await send(bench, assistant), 'limit_reached', {
      detail:
        'This connection may spend 0.08 GHS a day and has 0.038 left; this costs 0.042. The day ends at midnight UTC.',
    })
    await change({ recipients: ['23320*', '233241234568'] })
    await expectProblem(await send(bench, assistant), 'recipient_not_allowed', {
      errors: { '/To': 'recipient_not_allowed' },
      detail: 'This connection may send to 23320*, 233241234568, and not to 233241234567.',
    })
    expect((await send(bench, assistant, { To: '233201234567' })).status).toBe(200)
    expect((await send(bench, assistant, { To: '233241234568' })).status).toBe(200)
    await change({ recipients: [] })
    const nobody = /^This connection may send to nobody, and not to 233201234567\.$/
    await expectProblem(await send(bench, assistant, { To: '233201234567' }), 'recipient_not_allowed', {
      errors: { '/To': 'recipient_not_allowed' },
      detail: nobody,
    })
    await change({})
    expect((await send(bench, assistant)).status).toBe(200)
  })

  it('has a new day at midnight UTC, and the same one again on a clock that goes back', async () => {
    const midnight = Date.parse('2026-01-06T00:00:00.000Z')
    const bench = await open(midnight - 2)
    const one = { ...WIDE, dailyMessages: 1, dailySpend: micros(42_000) }
    const assistant = await connect(bench, bench.demo.accountId, one)
    expect((await send(bench, assistant)).status).toBe(200)
    await bench.advance(1)
    await expectProblem(await send(bench, assistant), 'limit_reached')
    expect((await viewOf(bench))?.today).toEqual({ messages: 1, spent: 42_000 })
    await bench.advance(1)
    expect((await viewOf(bench))?.today).toEqual({ messages: 0, spent: 0 })
    expect((await send(bench, assistant)).status).toBe(200)
    await expectProblem(await send(bench, assistant), 'limit_reached')
    bench.jump(-60_000)
    await expectProblem(await send(bench, assistant), 'limit_reached')
    expect((await viewOf(bench))?.today).toEqual({ messages: 1, spent: 42_000 })
    bench.jump(60_000 + A_DAY)
    const tomorrow = { headers: await tokenFor(bench, assistant.id) }
    expect((await send(bench, tomorrow)).status).toBe(200)
    await expectProblem(await send(bench, tomorrow), 'limit_reached')
  })

  it('gives nothing back to the day for a message that was cancelled or not delivered', async () => {
    const bench = await open()
    const assistant = await connect(bench, bench.demo.accountId, { ...WIDE, dailyMessages: 2 })
    const { Ticket } = await schedule(bench, '2026-01-06T00:00:00Z', {}, assistant.headers)
    const path = `/v1/messages/sms/scheduled/${Ticket}`
    expect((await bench.call('DELETE', path, assistant.headers)).status).toBe(200)
    expect((await send(bench, assistant, { To: '233241200001' })).status).toBe(200)
    await bench.advance(10_000)
    expect((await viewOf(bench))?.today).toEqual({ messages: 2, spent: 84_000 })
    await expectProblem(await send(bench, assistant), 'limit_reached')
  })

  it('notes when its connection was last used, at most once a minute', async () => {
    const bench = await open()
    const assistant = await connect(bench, bench.demo.accountId)
    expect((await viewOf(bench))?.lastUsedAt).toBeUndefined()
    const first = bench.now()
    expect((await balance(bench, assistant)).status).toBe(200)
    await bench.advance(A_MINUTE - 1)
    await balance(bench, assistant)
    expect((await viewOf(bench))?.lastUsedAt).toBe(first)
    await bench.advance(1)
    await balance(bench, assistant)
    expect((await viewOf(bench))?.lastUsedAt).toBe(first + A_MINUTE)
  })
})

it.each([
  new StoreUnavailable('the disk is full'),
  new RowLocked('a row stayed locked'),
  new CommitUncertain('the connection broke'),
])('a call goes on when its use cannot be noted: $message', async (error) => {
  const bench = await openBench()
  const { id, headers } = await connect(bench, bench.demo.accountId)
  const database = { ...bench.database, write: () => Promise.reject(error) }
  const delegation = new Delegation({
    database,
    clock: createMovedClock(bench.now()),
    operator: { name: undefined, contact: undefined },
  })
  expect(await delegation.identify(headers.authorization.slice(7))).toMatchObject({
    connection: { id, canSend: true },
  })
})
