import { randomUUID } from 'node:crypto'
import { micros } from '@wigwag/contract'
import { afterAll, describe, expect, it } from 'vitest'
import type { ConnectionLimits } from '../../src/assistants/connections.ts'
import { type Assistant, asOwner, connect, WIDE } from '../support/assistants.ts'
import { ENGINES } from '../support/bench.ts'
import { makePlace } from '../support/engine.ts'
import { eventually } from '../support/eventually.ts'
import {
  type Answer,
  BULK,
  bulk,
  call,
  callWith,
  type Front,
  SINGLE,
  shareFront,
  shareFrontOn,
  single,
} from '../support/front.ts'

/** The price of one segment to the numbers of these tests: 0.042 GHS. */
const PRICE = 42_000
const AT_ONCE = 24
const SCHEDULED = '/v1/messages/sms/scheduled'
const PLENTY = 10_000 * PRICE

/** An account whose money is no limit, with an assistant. */
async function assistantOf(front: Front, limits: Partial<ConnectionLimits>, balance = PLENTY) {
  const secrets = await front.account(`owner-${randomUUID()}`, balance)
  const assistant = await connect(front.gateway, secrets.accountId, { ...WIDE, ...limits })
  return { secrets, assistant }
}

const send = ({ url }: Front, { headers: { authorization } }: Assistant, size = 1, key?: string) =>
  callWith(
    url,
    { authorization },
    {
      ...(size === 1
        ? { path: SINGLE, body: single() }
        : { path: BULK, body: bulk(Array<string>(size).fill('233241234567')) }),
      ...(key === undefined ? {} : { key }),
    },
  )

const atOnce = (one: (index: number) => Promise<Answer>, count = AT_ONCE) =>
  Promise.all(Array.from({ length: count }, (_, index) => one(index)))

/** How often each status was answered, and each code of those that were refused. */
function tally(answers: readonly Answer[]): Record<string, number> {
  const names = answers.map(({ status, text }) => (status === 200 ? '200' : JSON.parse(text).code))
  return Object.fromEntries([...Map.groupBy(names, (name) => name)].map(([name, all]) => [name, all.length]))
}

/** Sends one message after the other, and says how many before its token was worth nothing. */
async function sendUntilTurnedAway(front: Front, assistant: Assistant): Promise<number> {
  for (let sent = 0; ; sent++) {
    const answer = await send(front, assistant)
    if (answer.status === 200) continue
    expect(tally([answer])).toEqual({ invalid_credentials: 1 })
    return sent
  }
}

/** A connection's use of today. Equals its stored sends if no other client sent. */
async function usedBy({ gateway }: Front, accountId: string, { id }: Assistant) {
  const view = (await gateway.connections.list(accountId)).find((each) => each.id === id)
  return view?.today
}

async function storedOf({ gateway }: Front, accountId: string) {
  const [row] = await gateway.database.read(({ run }) =>
    run<{ messages: number; spent: number }>(
      `SELECT count(*) AS messages, CAST(coalesce(sum(price), 0) AS BIGINT) AS spent FROM messages
       WHERE account_id = $1`,
      [accountId],
    ),
  )
  return row
}

describe.each(ENGINES)('the limits of a connection on %s', async (engine) => {
  const front = await shareFrontOn(engine)

  it.each([
    ['the daily spend', { dailySpend: micros(10 * PRICE) }, 10],
    ['the daily spend, one micro short', { dailySpend: micros(10 * PRICE - 1) }, 9],
    ['the daily messages', { dailyMessages: 10 }, 10],
    ['nothing at all', { dailyMessages: 0, dailySpend: micros(0) }, 0],
  ])('are not passed by sends at once: %s', async (_, limits, fit) => {
    const { secrets, assistant } = await assistantOf(front, limits)
    const answers = await atOnce(() => send(front, assistant))
    expect(tally(answers)).toEqual({ ...(fit > 0 && { 200: fit }), limit_reached: AT_ONCE - fit })
    const used = { messages: fit, spent: fit * PRICE }
    expect(await storedOf(front, secrets.accountId)).toEqual(used)
    expect(await usedBy(front, secrets.accountId, assistant)).toEqual(used)
  })

  it('take a bulk whole or not at all, and count it beside single and scheduled messages', async () => {
    const { secrets, assistant } = await assistantOf(front, { dailyMessages: 20 })
    expect(tally(await atOnce(() => send(front, assistant, 7)))).toEqual({
      200: 2,
      limit_reached: AT_ONCE - 2,
    })
    const { authorization } = assistant.headers
    const schedule = (): Promise<Answer> => {
      const SendAt = new Date(Date.now() + 3_600_000).toISOString()
      return callWith(front.url, { authorization }, { path: SCHEDULED, body: { ...single(), SendAt } })
    }
    expect(tally(await atOnce(schedule, 4))).toEqual({ 200: 4 })
    const rest = await atOnce((index) => (index % 2 === 0 ? schedule() : send(front, assistant)))
    expect(tally(rest)).toEqual({ 200: 2, limit_reached: AT_ONCE - 2 })
    const used = { messages: 20, spent: 20 * PRICE }
    expect(await storedOf(front, secrets.accountId)).toEqual(used)
    expect(await usedBy(front, secrets.accountId, assistant)).toEqual(used)
  })

  it('are those of each connection, and none of a client with the credentials of the account', async () => {
    const { secrets, assistant: one } = await assistantOf(front, { dailyMessages: 5 })
    const other = await connect(front.gateway, secrets.accountId, { ...WIDE, dailyMessages: 7 })
    const [ones, others, own] = await Promise.all([
      atOnce(() => send(front, one)),
      atOnce(() => send(front, other)),
      atOnce(() => call(front.url, secrets, { path: SINGLE, body: single() })),
    ])
    expect([tally(ones), tally(others), tally(own)]).toEqual([
      { 200: 5, limit_reached: AT_ONCE - 5 },
      { 200: 7, limit_reached: AT_ONCE - 7 },
      { 200: AT_ONCE },
    ])
    expect(await usedBy(front, secrets.accountId, one)).toMatchObject({ messages: 5 })
    expect(await usedBy(front, secrets.accountId, other)).toMatchObject({ messages: 7 })
  })

  it('are not used up by sends that the wallet cannot pay, nor said to be', async () => {
    const { secrets, assistant } = await assistantOf(front, { dailyMessages: 10 }, 3 * PRICE)
    const answers = await atOnce(() => send(front, assistant))
    expect(tally(answers)).toEqual({ 200: 3, insufficient_funds: AT_ONCE - 3 })
    expect(await usedBy(front, secrets.accountId, assistant)).toEqual({ messages: 3, spent: 3 * PRICE })
    await front.gateway.operator.credit(secrets.accountId, micros(PLENTY))
    expect(tally(await atOnce(() => send(front, assistant)))).toEqual({ 200: 7, limit_reached: AT_ONCE - 7 })
  })

  it('count a key once that comes many times at once, and let it be answered when they are reached', async () => {
    const { secrets, assistant } = await assistantOf(front, { dailyMessages: 1 })
    const answers = await atOnce(() => send(front, assistant, 1, 'one'))
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect(tally([await send(front, assistant)])).toEqual({ limit_reached: 1 })
    const again = await send(front, assistant, 1, 'one')
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true'])
    expect(again.text).toBe(answers[0]?.text)
    expect(await usedBy(front, secrets.accountId, assistant)).toEqual({ messages: 1, spent: PRICE })
  })

  it('let nothing through any more once a revocation is answered', async () => {
    const { secrets, assistant } = await assistantOf(front, { dailyMessages: 1_000_000 })
    const stored = async () => (await storedOf(front, secrets.accountId))?.messages ?? 0
    const clients = Promise.all(Array.from({ length: 16 }, () => sendUntilTurnedAway(front, assistant)))
    await eventually('some are accepted', async () => (await stored()) > 0)
    expect(await front.gateway.connections.revoke(asOwner(secrets.accountId), assistant.id)).toBe(true)
    const before = await stored()
    const told = (await clients).reduce((sum, sent) => sum + sent, 0)
    expect({ told, stored: await stored() }).toEqual({ told: before, stored: before })
  })

  it('leave a key free that was refused', async () => {
    const { secrets, assistant } = await assistantOf(front, { dailyMessages: 0 })
    expect(tally([await send(front, assistant, 1, 'later')])).toEqual({ limit_reached: 1 })
    await front.gateway.connections.changeLimits(asOwner(secrets.accountId), assistant.id, WIDE)
    const sent = await send(front, assistant, 1, 'later')
    expect([sent.status, sent.headers.get('idempotent-replayed')]).toEqual([200, null])
  })
})

describe('the limits of a connection on two gateways with one database', async () => {
  const { url, remove } = await makePlace('PostgreSQL')
  afterAll(remove)
  const fronts = [await shareFront(url), await shareFront(url)] as const

  it.each([
    ['the daily spend', { dailySpend: micros(20 * PRICE - 1) }, 19],
    ['the daily messages', { dailyMessages: 20 }, 20],
  ])('are not passed by sends at once to both: %s', async (_, limits, fit) => {
    const { secrets, assistant } = await assistantOf(fronts[0], limits)
    const answers = await atOnce((index) => send(fronts[index % 2 === 0 ? 0 : 1], assistant), 2 * AT_ONCE)
    expect(tally(answers)).toEqual({ 200: fit, limit_reached: 2 * AT_ONCE - fit })
    const used = { messages: fit, spent: fit * PRICE }
    expect(await storedOf(fronts[0], secrets.accountId)).toEqual(used)
    for (const front of fronts) expect(await usedBy(front, secrets.accountId, assistant)).toEqual(used)
  })
})

const ESTIMATE = '/v1/messages/sms/estimate'
const HELLO = { To: '233241234567', Content: 'Hello' }

describe('the estimate of an assistant', async () => {
  const front = await shareFront(':memory:')
  const estimate = async ({ url }: Front, { headers: { authorization } }: Assistant, change = {}) => {
    const { text } = await callWith(url, { authorization }, { path: ESTIMATE, body: { ...HELLO, ...change } })
    return JSON.parse(text).Allowance
  }

  it('says what the limits leave of today, and whether they allow the recipient', async () => {
    const limits = { dailySpend: micros(5 * PRICE), dailyMessages: 20, recipients: ['23324*'] }
    const { secrets, assistant } = await assistantOf(front, limits)
    expect(await estimate(front, assistant)).toEqual({ Spend: 0.21, Messages: 20, Recipient: true })
    expect((await send(front, assistant, 2)).status).toBe(200)
    expect(await estimate(front, assistant)).toEqual({ Spend: 0.126, Messages: 18, Recipient: true })
    expect(await estimate(front, assistant, { To: '447700900123' })).toMatchObject({ Recipient: false })
    const lower = { ...WIDE, dailySpend: micros(PRICE), dailyMessages: 1 }
    await front.gateway.connections.changeLimits(asOwner(secrets.accountId), assistant.id, lower)
    expect(await estimate(front, assistant)).toEqual({ Spend: 0, Messages: 0, Recipient: true })
  })

  it('says nothing of it to a program, nor to an assistant that may only read', async () => {
    const secrets = await front.account('reader', PLENTY)
    const reader = await connect(front.gateway, secrets.accountId, 'only reading')
    expect(await estimate(front, reader)).toBeUndefined()
    const program = await call(front.url, secrets, { path: ESTIMATE, body: HELLO })
    expect(JSON.parse(program.text)).toMatchObject({ Segments: 1 })
    expect(program.text).not.toContain('Allowance')
  })
})
