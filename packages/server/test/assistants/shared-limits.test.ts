import { randomUUID } from 'node:crypto'
import { micros } from '@wigwag/contract'
import { afterAll, describe, expect, it } from 'vitest'
import { type Assistant, connect } from '../support/assistants.ts'
import { ENGINES } from '../support/bench.ts'
import { makePlace } from '../support/engine.ts'
import {
  type Answer,
  callWith,
  type Front,
  SINGLE,
  shareFront,
  shareFrontOn,
  single,
} from '../support/front.ts'

const PRICE = 42_000
const ACCOUNT = { spend: null, messages: null }
const ESTIMATE = '/v1/messages/sms/estimate'

/** An account with two people, each of whom let in two assistants. */
async function house(front: Front) {
  const { gateway } = front
  const [name, bo] = [`owner-${randomUUID()}`, `bo-${randomUUID()}`]
  const email = `${bo}@example.com`
  const { accountId } = await front.account(name, 10_000 * PRICE)
  const assistants: Assistant[] = []
  for (let n = 0; n < 4; n++) assistants.push(await connect(gateway, accountId))
  await gateway.people.invite(accountId, email, 'sender')
  await gateway.database.write(async ({ run }) => {
    await run('INSERT INTO people (id, email, created_at) VALUES ($1, $2, 0)', [bo, email])
    await run(
      `INSERT INTO memberships (account_id, person_id, role, created_at, created_by) VALUES ($1, $2, 'sender', 0, 'x')`,
      [accountId, bo],
    )
    for (const { id } of assistants.slice(2))
      await run('UPDATE connections SET person_id = $1 WHERE id = $2', [bo, id])
  })
  const limit = (whose: string | undefined, limits: Partial<Record<'spend' | 'messages', number>>) =>
    gateway.people.limitAssistants(accountId, whose, {
      ...ACCOUNT,
      ...(limits.spend !== undefined && { spend: micros(limits.spend) }),
      ...(limits.messages !== undefined && { messages: limits.messages }),
    })
  return { accountId, assistants, limit, email }
}

const send = ({ url }: Front, { headers: { authorization } }: Assistant) =>
  callWith(url, { authorization }, { path: SINGLE, body: single() })

const codeOf = ({ status, text }: Answer) => (status === 200 ? '200' : JSON.parse(text).code)

function tally(answers: readonly Answer[]): Record<string, number> {
  const codes = answers.map(codeOf)
  return Object.fromEntries([...Map.groupBy(codes, (code) => code)].map(([code, all]) => [code, all.length]))
}

const atOnce = (fronts: readonly Front[], assistants: readonly Assistant[], count: number) =>
  Promise.all(
    Array.from({ length: count }, (_, index) => {
      const front = fronts[index % fronts.length]
      const assistant = assistants[Math.floor(index / fronts.length) % assistants.length]
      if (!front || !assistant) throw new Error('expected gateways and assistants')
      return send(front, assistant)
    }),
  )

describe.each(ENGINES)('what all assistants may do together, on %s', async (engine) => {
  const front = await shareFrontOn(engine)

  it.each([
    ['messages', { messages: 7 }],
    ['money', { spend: 7 * PRICE + 1 }],
  ])('is no more than the account’s limit of %s, however they share it', async (_, limits) => {
    const { assistants, limit } = await house(front)
    await limit(undefined, limits)
    expect(tally(await atOnce([front], assistants, 24))).toEqual({ 200: 7, limit_reached: 17 })
    const { text } = await send(front, assistants[0] as Assistant)
    expect(JSON.parse(text).detail).toContain('This account, with all its assistants, may')
    await limit(undefined, {})
    expect(codeOf(await send(front, assistants[0] as Assistant))).toBe('200')
  })

  it('is limited by person too, and the smaller limit holds', async () => {
    const { assistants, limit, email } = await house(front)
    await limit(undefined, { messages: 9 })
    await limit(email, { messages: 3 })
    expect(tally(await atOnce([front], assistants.slice(2), 20))).toEqual({ 200: 3, limit_reached: 17 })
    expect(JSON.parse((await send(front, assistants[2] as Assistant)).text).detail).toContain(
      `${email}, with all their assistants, may send 3 messages a day and has 0 left`,
    )
    expect(tally(await atOnce([front], assistants.slice(0, 2), 20))).toEqual({ 200: 6, limit_reached: 14 })
  })

  it('is what an estimate says beforehand', async () => {
    const { assistants, limit, email } = await house(front)
    await limit(undefined, { messages: 9, spend: 5 * PRICE })
    await limit(email, { messages: 3 })
    const estimate = async ({ headers: { authorization } }: Assistant) => {
      const body = { To: '233241234567', Content: 'Hello' }
      return JSON.parse((await callWith(front.url, { authorization }, { path: ESTIMATE, body })).text)
        .Allowance
    }
    expect(await estimate(assistants[0] as Assistant)).toMatchObject({ Messages: 9, Spend: 0.21 })
    expect(await estimate(assistants[2] as Assistant)).toMatchObject({ Messages: 3, Spend: 0.21 })
  })
})

describe('what all assistants may do together, at two gateways', async () => {
  const { url, remove } = await makePlace('PostgreSQL')
  afterAll(remove)
  const fronts = [await shareFront(url), await shareFront(url)]

  it('is no more than the limits, at once', async () => {
    const { assistants, limit, email } = await house(fronts[0] as Front)
    await limit(undefined, { messages: 11 })
    await limit(email, { messages: 4 })
    const answers = await atOnce(fronts, assistants, 40)
    expect(tally(answers)).toEqual({ 200: 11, limit_reached: 29 })
  })
})
