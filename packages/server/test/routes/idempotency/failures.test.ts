import { type Micros, micros } from '@wigwag/contract'
import { describe, expect, it } from 'vitest'
import { BULK, MESSAGE, openHarness } from '../../support/harness.ts'
import { expectProblem, refuses, traces } from '../refuses.ts'

const KEY = { 'idempotency-key': 'order-1042' }
const PRICE: Micros = micros(42_000)

describe.each([
  ['sendSms', MESSAGE],
  ['sendBulkSms', BULK],
] as const)('a failed %s does not use its idempotency key up', (operation, body) => {
  it('when the wallet was empty: the same request works after a top-up', async () => {
    const harness = await openHarness({ demoBalance: micros(PRICE - 1) })
    await refuses(harness, () => harness[operation](body, KEY), 'insufficient_funds')
    await harness.operator.credit(harness.demo.accountId, micros(1))
    const answer = await harness[operation](body, KEY)
    expect([answer.status, answer.headers.has('idempotent-replayed')]).toEqual([200, false])
  })

  it('when the body was wrong: a corrected one works', async () => {
    const harness = await openHarness()
    const errors = { '/Content': 'content_empty' } as const
    await refuses(harness, () => harness[operation]({ ...body, Content: '' }, KEY), 'content_empty', {
      errors,
    })
    await refuses(harness, () => harness[operation]('{', KEY), 'invalid_json')
    expect((await harness[operation](body, KEY)).status).toBe(200)
  })

  it('when the sender was not approved: the same request works once it is', async () => {
    const harness = await openHarness()
    const request = () => harness[operation]({ ...body, From: 'MyShop' }, KEY)
    await refuses(harness, request, 'sender_not_approved')
    await harness.operator.setSender(harness.demo.accountId, 'MyShop', 'approved')
    await harness.advance(1_000)
    expect((await request()).status).toBe(200)
  })

  it('when a hundred came at once and none could be paid', async () => {
    const harness = await openHarness({ demoBalance: micros(PRICE - 1) })
    const answers = await Promise.all(Array.from({ length: 100 }, () => harness[operation](body, KEY)))
    for (const answer of answers) await expectProblem(answer, 'insufficient_funds')
    expect(await traces(harness)).toMatchObject({ keys: [], messages: [], wallets: [{ held: 0 }] })
  })
})

describe('an idempotency key that was used', () => {
  it('goes on answering when the wallet is empty meanwhile', async () => {
    const harness = await openHarness({ demoBalance: PRICE })
    const text = await (await harness.sendSms(MESSAGE, KEY)).text()
    await refuses(harness, () => harness.sendSms(MESSAGE), 'insufficient_funds')
    expect(await (await harness.sendSms(MESSAGE, KEY)).text()).toBe(text)
  })
})
