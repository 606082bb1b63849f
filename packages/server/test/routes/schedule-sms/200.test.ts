import { describe, expect, it } from 'vitest'
import { at, recordOf, SCHEDULED, schedule, spendable } from '../../isolation/scheduling.ts'
import { aPlace, ENGINES, openBench, START } from '../../support/bench.ts'
import { MESSAGE } from '../../support/harness.ts'

const PRICE = 42_000
const A_DAY = 86_400_000

describe('scheduleSms: 200', () => {
  it('answers the result of a send, byte for byte, and when the message will be sent', async () => {
    const bench = await openBench()
    const body = { ...MESSAGE, Reference: 'r-1', SendAt: '2026-01-06T09:00:00+01:00' }
    const text = await (await bench.call('POST', SCHEDULED, {}, body)).text()
    const [, id] = /"Id":"([^"]+)"/.exec(text) ?? []
    expect(text).toBe(
      `{"Cost":0,"Destination":"233241234567","Id":"${id}","Ticket":"${id}","ClientReference":"r-1",` +
        '"Status":"scheduled","SendAt":"2026-01-06T08:00:00.000Z"}',
    )
  })

  it.each([
    ['2026-01-06T08:00:00Z', '2026-01-06T08:00:00.000Z'],
    ['2026-01-06T13:30:00.5+05:30', '2026-01-06T08:00:00.500Z'],
    ['2026-01-05T20:00:00.1239-12:00', '2026-01-06T08:00:00.123Z'],
    ['2026-01-05T10:00:00.126+01:00', '2026-01-05T09:00:00.126Z'],
  ])('takes %s and answers it in UTC as %s', async (SendAt, expected) => {
    const bench = await openBench()
    const { SendAt: answered, Ticket } = await schedule(bench, SendAt)
    expect(answered).toBe(expected)
    expect(await recordOf(bench, Ticket)).toMatchObject({ Status: 'scheduled', Cost: 0, BalanceAfter: 100 })
  })

  it('takes a time from a millisecond to ninety days ahead', async () => {
    const bench = await openBench()
    for (const SendAt of [at(START + 1), at(START + 90 * A_DAY)]) {
      expect((await schedule(bench, SendAt)).SendAt).toBe(SendAt)
    }
  })
})

describe.each(ENGINES)('scheduleSms on %s: 200', (engine) => {
  it('holds the price at once, and makes one message of a request that comes twice', async () => {
    const bench = await openBench({ database: await aPlace(engine) })
    const before = await spendable(bench)
    const send = () => schedule(bench, '2026-01-06T09:00:00Z', {}, { 'idempotency-key': 'k-1' })
    const results = await Promise.all([send(), send(), send()])
    expect(new Set(results.map(({ Ticket }) => Ticket)).size).toBe(1)
    expect(await send()).toEqual(results[0])
    expect(before - (await spendable(bench))).toBe(PRICE)
    const { Items } = await (await bench.call('GET', SCHEDULED)).json()
    expect(Items).toHaveLength(1)
  })

  it('charges what it held, at the price of the day that it was taken', async () => {
    const bench = await openBench({ database: await aPlace(engine) })
    const { Ticket } = await schedule(bench, '2026-01-05T09:01:00Z', { Content: 'a'.repeat(161) })
    const isDelivered = async () => (await recordOf(bench, Ticket)).Status === 'success'
    await bench.until('it is delivered', isDelivered, 60_000)
    expect(await recordOf(bench, Ticket)).toMatchObject({
      Cost: 0.084,
      BalanceBefore: 100,
      BalanceAfter: 99.916,
    })
    expect(await spendable(bench)).toBe(99_916_000)
  })
})
