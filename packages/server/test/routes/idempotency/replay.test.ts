import { describe, expect, it } from 'vitest'
import { BULK, MESSAGE, openHarness } from '../../support/harness.ts'
import { balanceOf, resultOf, resultsOf } from '../answers.ts'
import { anotherAccount } from '../others.ts'
import { expectProblem, traces } from '../refuses.ts'

const KEY = { 'idempotency-key': 'order-1042' }
const HOUR = 3_600_000

describe.each([
  ['sendSms', MESSAGE],
  ['sendBulkSms', BULK],
] as const)('an idempotency key on %s', (operation, body) => {
  it('repeats the answer byte for byte, says so, and holds the money once', async () => {
    const harness = await openHarness()
    const first = await harness[operation](body, KEY)
    expect([first.status, first.headers.has('idempotent-replayed')]).toEqual([200, false])
    const text = await first.text()
    const before = await traces(harness)
    for (let n = 0; n < 3; n++) {
      const again = await harness[operation](body, KEY)
      expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true'])
      expect(again.headers.get('content-type')).toBe('application/json')
      expect(again.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'))
      expect(await again.text()).toBe(text)
    }
    expect(await traces(harness)).toEqual(before)
    expect((await balanceOf(harness.getBalance())).balance).toBe(99.958)
  })

  it('repeats the first answer also when the message has become final since', async () => {
    const harness = await openHarness()
    const text = await (await harness[operation](body, KEY)).text()
    await harness.advance(HOUR)
    expect(await (await harness[operation](body, KEY)).text()).toBe(text)
    expect(text).toContain('"Status":"pending"')
  })

  it('makes one ticket and one hold of a hundred requests at once, all answered alike', async () => {
    const harness = await openHarness()
    const answers = await Promise.all(Array.from({ length: 100 }, () => harness[operation](body, KEY)))
    const texts = await Promise.all(answers.map((answer) => answer.text()))
    expect(new Set(texts).size).toBe(1)
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect(answers.filter(({ headers }) => headers.get('idempotent-replayed') === 'true')).toHaveLength(99)
    const { messages, wallets } = await traces(harness)
    expect(messages).toHaveLength(1)
    expect(wallets).toMatchObject([{ held: 42_000 }])
  })

  it('lets one of two bodies through that come at once, and refuses the other', async () => {
    const harness = await openHarness()
    const bodies = [body, { ...body, Content: 'Other' }]
    const answers = await Promise.all(bodies.map((each) => harness[operation](each, KEY)))
    expect(answers.map(({ status }) => status)).toEqual([200, 422])
    expect((await traces(harness)).messages).toHaveLength(1)
  })

  it('counts the bytes of the body, not what they mean', async () => {
    const harness = await openHarness()
    expect((await harness[operation](body, KEY)).status).toBe(200)
    const spaced = JSON.stringify(body, null, 1)
    await expectProblem(await harness[operation](spaced, KEY), 'idempotency_key_reused')
  })

  it('is kept for 24 hours, and forgotten within another', async () => {
    const harness = await openHarness()
    const text = await (await harness[operation](body, KEY)).text()
    await harness.advance(24 * HOUR)
    expect(await (await harness[operation](body, KEY)).text()).toBe(text)
    await harness.advance(HOUR + 60_000)
    const fresh = await harness[operation](body, KEY)
    expect([fresh.status, fresh.headers.has('idempotent-replayed')]).toEqual([200, false])
    expect(await fresh.text()).not.toBe(text)
  })

  it('belongs to one account', async () => {
    const harness = await openHarness()
    const other = await anotherAccount(harness)
    const [mine, theirs] = [
      await harness[operation](body, KEY),
      await harness[operation](body, { ...other, ...KEY }),
    ]
    expect(theirs.headers.has('idempotent-replayed')).toBe(false)
    expect(await theirs.text()).not.toBe(await mine.text())
  })
})

describe('an idempotency key', () => {
  it('belongs to one operation', async () => {
    const { sendSms, sendBulkSms } = await openHarness()
    const { Ticket } = await resultOf(sendSms(MESSAGE, KEY))
    const [bulk] = await resultsOf(sendBulkSms(BULK, KEY))
    expect(bulk?.Ticket).not.toBe(Ticket)
  })

  it('is told from one that only differs in case', async () => {
    const { sendSms } = await openHarness()
    const { Ticket } = await resultOf(sendSms(MESSAGE, KEY))
    const other = await resultOf(sendSms(MESSAGE, { 'idempotency-key': 'ORDER-1042' }))
    expect(other.Ticket).not.toBe(Ticket)
  })

  it('does not make requests without one alike', async () => {
    const { sendSms } = await openHarness()
    const tickets = await Promise.all([1, 2, 3].map(async () => (await resultOf(sendSms(MESSAGE))).Ticket))
    expect(new Set(tickets).size).toBe(3)
  })
})
