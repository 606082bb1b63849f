import { describe, expect, it } from 'vitest'
import { Refusals, refusalsSince } from '../../src/accounts/refusals.ts'
import type { RefusedRequest } from '../../src/accounts/refused-request.ts'
import { epochMs } from '../../src/kernel/ids.ts'
import { eraseAccount } from '../../src/operate/privacy/index.ts'
import { type Database, StoreUnavailable } from '../../src/store/database.ts'
import type { Role } from '../../src/store/schema/schema.ts'
import { wordsOf } from '../console/forms.ts'
import { openDeskOn } from '../desk/desk.ts'
import { connect } from '../support/assistants.ts'
import { aPlace, type Bench, ENGINES, openBench } from '../support/bench.ts'
import { call, callWith, SINGLE, single } from '../support/front.ts'
import { handClock } from '../support/hand-clock.ts'
import { basic, type Changes, MESSAGE } from '../support/harness.ts'
import { joinAs } from '../support/people.ts'

const TEXT = 'Your code is 481920, tell no-one'
const DAY = 86_400_000

const listOf = ({ database }: Pick<Bench, 'database'>, accountId: string) =>
  database.read((tx) => refusalsSince(tx, accountId, 0))

describe.each(ENGINES)('refused requests on %s', (engine) => {
  async function openWith() {
    const bench = await openBench({ database: await aPlace(engine) })
    const { demo } = bench
    const proof = { authorization: basic(demo), 'x-wallet': `Token ${demo.walletToken}` }
    const send = (changes: object, headers: Changes = proof) =>
      bench.call('POST', SINGLE, headers, { ...MESSAGE, ...changes })
    return { bench, demo, proof, send, list: () => listOf(bench, demo.accountId) }
  }
  it('are counted by code, with what was asked, why not, and with which key', async () => {
    const { bench, demo, proof, send, list } = await openWith()
    await send({ From: 'NOTMINE' })
    await send({ From: 'NOTMINE' })
    await send({ To: '' })
    await send({}, { ...proof, authorization: basic({ ...demo, clientSecret: 'wrong' }) })
    await send({}, { authorization: proof.authorization, 'x-wallet': undefined })
    await bench.advance(5_000)
    const kept = await list()
    expect(kept.map(({ code, refused }) => `${refused} ${code}`)).toEqual([
      '1 invalid_credentials',
      '1 invalid_recipient',
      '2 sender_not_approved',
      '1 wallet_token_missing',
    ])
    const { latest } = kept.find(({ code }) => code === 'sender_not_approved') ?? {}
    expect(latest).toHaveLength(2)
    expect(latest?.[0]).toEqual({
      at: expect.any(Number),
      operation: `POST ${SINGLE}`,
      detail: 'Sender “…” is not one of this account. Approved sender IDs: WIGWAG.',
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      client: demo.clientId,
    })
  })

  it('are an account’s own, and of unknown credentials nobody’s', async () => {
    const { bench, send, list } = await openWith()
    const other = await bench.operator.createAccount({
      name: 'Other',
      email: 'other@example.com',
      currency: 'GHS',
      balance: 0 as never,
      senders: ['WIGWAG'],
    })
    const proof = { authorization: basic(other), 'x-wallet': `Token ${other.walletToken}` }
    expect((await send({}, proof)).status).toBe(402)
    await send({}, { authorization: `Basic ${btoa('wc_nobody:wrong')}` })
    await send({}, { authorization: `Basic ${btoa('a\0b:wrong')}` })
    await send({}, { authorization: `Basic ${btoa(`${'x'.repeat(9_000)}:wrong`)}` })
    // By knowing a client ID, one adds nothing to its list but that it was not proven.
    const guessed = { authorization: `Basic ${btoa(`${other.clientId}:wrong`)}` }
    await bench.call('GET', '/v1/nothing', guessed)
    await bench.call('DELETE', '/v1/messages', guessed)
    await bench.advance(5_000)
    expect(await list()).toEqual([])
    expect(await listOf(bench, other.accountId)).toMatchObject([{ code: 'insufficient_funds', refused: 1 }])
  })

  it('hold nothing of a text or a number, wherever it was given', async () => {
    const { bench, demo, proof, send, list } = await openWith()
    const wrong: object[] = [
      { To: TEXT },
      { To: '999241234567' },
      { To: '2332412345' },
      { To: '23324123456789' },
      { From: TEXT },
      { From: '233241234567890123' },
      { CallbackUrl: TEXT },
      { [TEXT]: TEXT },
      { Content: `${TEXT} `.repeat(90) },
      { Reference: TEXT.repeat(9) },
      { To: undefined, Content: TEXT },
    ]
    for (const body of wrong) await send(body)
    await bench.call('GET', '/v1/messages/233241234567/tell-no-one', proof)
    await bench.call('GET', `${SINGLE}/233241234567?To=233241234567`, proof)
    await bench.call('GET', '/v1/messages/+233%2024%20123%204567', proof)
    await bench.call('POST', `/v1/account/keys/${demo.clientSecret}/rotate`, proof)
    await bench.advance(5_000)
    const written = JSON.stringify(await list())
    for (const part of [
      '481920',
      'tell no',
      'tell-no',
      '2332412',
      '9992412',
      '24 123',
      demo.clientSecret.slice(0, 20),
      demo.walletToken,
    ])
      expect(written).not.toContain(part)
    expect((await list()).map(({ code }) => code)).toContain('route_not_found')
  })

  it('are a row an hour and code, however many there were, with the newest of them', async () => {
    const { bench, demo, list } = await openWith()
    const clock = handClock()
    const refusals = new Refusals({ database: bench.database, clock }, raise)
    for (let n = 0; n < 1_000_000; n++) refusals.record(demo, refusedAt(clock.now(), `r-${n}`))
    clock.pass(5_000)
    await refusals.store()
    for (let n = 0; n < 40; n++) refusals.record(demo, refusedAt(clock.now(), `later-${n}`))
    await refusals.store()
    const [row, ...more] = await list()
    expect(more).toEqual([])
    expect(row?.refused).toBe(1_000_040)
    const ids = row?.latest.map(({ requestId }) => requestId) ?? []
    expect([ids[0], ids[20]]).toEqual(['later-39', 'r-999999'])
    expect(JSON.stringify(row?.latest).length).toBeLessThan(7_000)
  })

  it('are kept until they can be stored, and added up by several gateways', async () => {
    const { bench, demo, list } = await openWith()
    const clock = handClock()
    let isDown = true
    const write: Database['write'] = (...work) =>
      isDown ? Promise.reject(new StoreUnavailable('away')) : bench.database.write(...work)
    const faults: unknown[] = []
    const one = new Refusals({ database: { ...bench.database, write }, clock }, (error) => faults.push(error))
    const two = new Refusals({ database: bench.database, clock }, raise)
    one.record(demo, refusedAt(clock.now(), 'one'))
    await one.store()
    expect(faults).toHaveLength(1)
    isDown = false
    two.record(demo, refusedAt(clock.now(), 'two'))
    await Promise.all([one.store(), two.store()])
    expect(await list()).toMatchObject([{ refused: 2, latest: [{}, {}] }])
  })

  it('of client IDs that strangers make up don’t crowd out those of an account', async () => {
    const { bench, demo, list } = await openWith()
    const clock = handClock()
    const refusals = new Refusals({ database: bench.database, clock }, raise)
    for (let n = 0; n < 5_000; n++)
      refusals.record({ accountId: undefined, clientId: `wc_${n}` }, refusedAt(clock.now(), 'r'))
    refusals.record(demo, refusedAt(clock.now(), 'mine'))
    await refusals.store()
    expect(await list()).toMatchObject([{ refused: 1, latest: [{ requestId: 'mine' }] }])
    const rows = await bench.database.read(({ run }) => run('SELECT * FROM refusals', []))
    expect(rows).toHaveLength(1)
  })

  it('are forgotten after seven days, and with the account', async () => {
    const { bench, demo, send, list } = await openWith()
    await send({ From: 'NOTMINE' })
    await bench.advance(6 * DAY)
    await send({ To: '' })
    await bench.advance(5_000)
    expect(await list()).toHaveLength(2)
    await bench.advance(2 * DAY)
    expect((await list()).map(({ code }) => code)).toEqual(['invalid_recipient'])
    await bench.operator.setStatus(demo.accountId, 'suspended')
    await bench.advance(2_000)
    await eraseAccount(bench, demo.accountId, { despiteBalance: true })
    expect(await list()).toEqual([])
  })
})

function raise(error: unknown): never {
  throw error
}

function refusedAt(at: number, requestId: string): RefusedRequest {
  return {
    at: epochMs(at),
    method: 'POST',
    path: SINGLE,
    status: 402,
    code: 'insufficient_funds',
    detail: 'Expected at least 0.05 GHS; the wallet holds 0.01 GHS.',
    requestId,
  }
}

describe.each(ENGINES)('refused requests behind sockets on %s', (engine) => {
  it('are on the page Developers for owners and developers, on Wallet in words, and counted at the desk', async () => {
    const { desk, visit } = await openDeskOn(engine)
    const acme = await desk.account('acme', 0)
    const kept = await desk.account('kept', 5_000_000)
    const join = (role: Role, account = acme) =>
      joinAs(desk, account.accountId, { email: `${role}@${account.clientId.toLowerCase()}.example`, role })
    const owner = await join('owner')
    for (let n = 0; n < 11; n++)
      expect((await call(desk.url, acme, { path: SINGLE, body: single() })).status).toBe(402)
    const page = await desk.until('they are stored', async () => {
      const words = wordsOf(await owner.visit(`${desk.url}/developers`))
      return words.includes('11 × 402') ? words : undefined
    })
    expect(page).toContain('11 × 402 insufficient_funds . Ask the operator for credit.')
    expect(page).toContain(`POST ${SINGLE} ${acme.clientId} ·`)
    expect(wordsOf(await (await join('developer')).visit(`${desk.url}/developers`))).toContain('11 × 402')
    const viewer = await join('viewer')
    expect((await viewer.visit(`${desk.url}/developers`)).text).not.toContain('insufficient_funds')
    const words = '11 requests were refused today because the wallet held too little.'
    expect(wordsOf(await viewer.visit(`${desk.url}/wallet`))).toContain(words)
    expect(wordsOf(await visit(`/customers/${acme.accountId}`))).toContain(
      '402 The wallet does not hold enough insufficient_funds 11 11',
    )
    const other = await join('owner', kept)
    expect((await other.visit(`${desk.url}/developers`)).text).toContain('No request to the API was refused')
    expect((await other.visit(`${desk.url}/wallet`)).text).not.toContain('refused today')
  })

  it('are kept in production, and those of an assistant are by no key', async () => {
    const { desk } = await openDeskOn(engine, { environment: 'production' })
    const acme = await desk.account('acme', 5_000_000)
    const { headers } = await connect(desk.gateway, acme.accountId, 'only reading')
    await call(desk.url, acme, { path: SINGLE, body: { ...single(), From: 'NOTMINE' } })
    await callWith(desk.url, { authorization: headers.authorization }, { path: SINGLE, body: single() })
    const kept = await desk.until('it is stored', async () => {
      const found = await listOf(desk.gateway, acme.accountId)
      return found.length > 1 ? found : undefined
    })
    expect(kept).toMatchObject([
      { code: 'insufficient_scope', latest: [{ client: '' }] },
      { code: 'sender_not_approved', latest: [{ client: acme.clientId }] },
    ])
  })
})
