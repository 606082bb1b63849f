import { micros } from '@wigwag/contract'
import { zBalance, type zLedgerEntry, zLedgerPage, zTransaction } from '@wigwag/contract/validators'
import { describe, expect, it } from 'vitest'
import type * as z from 'zod'
import { answerOf } from '../../isolation/requests.ts'
import { aPlace, type Bench, ENGINES, openBench, START } from '../../support/bench.ts'
import { type Changes, MESSAGE, openHarness } from '../../support/harness.ts'
import { anotherAccount } from '../others.ts'

type Entry = z.infer<typeof zLedgerEntry>

const HOUR = 3_600_000
const HOURS = 3
const at = (ms: number) => new Date(ms).toISOString()

const pageOf = ({ call }: Pick<Bench, 'call'>, query: Record<string, string> = {}, as: Changes = {}) =>
  answerOf(call('GET', `/v1/account/ledger?${new URLSearchParams(query)}`, as), zLedgerPage)

/** Every entry, read in pages of so many. */
async function entriesOf(bench: Pick<Bench, 'call'>, Limit: string, query = {}): Promise<Entry[]> {
  const entries: Entry[] = []
  let cursor: string | undefined
  do {
    const page = await pageOf(bench, { ...query, Limit, ...(cursor && { Cursor: cursor }) })
    entries.push(...page.Items)
    cursor = page.NextCursor
  } while (cursor !== undefined)
  return entries
}

/** An hour apart: deliveries, a failure, a message that stays under way, and money that is added. */
async function live(bench: Bench): Promise<void> {
  const send = (To: string, Content = 'Hello') =>
    bench.call('POST', '/v1/messages/sms', {}, { ...MESSAGE, To, Content })
  for (let hour = 0; hour < HOURS; hour++) {
    await send('233241234567')
    await send('233201200001')
    await send('233241200005')
    if (hour === 1) await bench.operator.credit(bench.demo.accountId, micros(1_500_001))
    await send('447400123456', 'a'.repeat(161))
    await bench.advance(HOUR)
  }
}

describe.each(ENGINES)('listLedger on %s: 200', (engine) => {
  it("lists a chain without gaps, newest first, that ends at the wallet and names each charge's message", async () => {
    const bench = await openBench({ database: await aPlace(engine) })
    await live(bench)
    const entries = await entriesOf(bench, '200')
    expect(entries).toHaveLength(8)
    for (const Limit of ['1', '3', '7', '8']) expect(await entriesOf(bench, Limit)).toEqual(entries)
    const inMicros = (amount: number) => Math.round(amount * 1_000_000)
    for (const [index, { Seq, Kind, Amount, BalanceBefore, BalanceAfter }] of entries.entries()) {
      expect(Seq).toBe(8 - index)
      expect(BalanceBefore).toBe(entries[index + 1]?.BalanceAfter ?? 0)
      const change = inMicros(BalanceAfter) - inMicros(BalanceBefore)
      expect(change).toBe(Kind === 'credit' ? inMicros(Amount) : -inMicros(Amount))
    }
    const { balance } = await answerOf(bench.call('GET', '/v1/account/balance'), zBalance)
    const [wallet] = await bench.database.read(({ run }) =>
      run<{ held: number }>('SELECT held FROM wallets', []),
    )
    expect(inMicros(entries[0]?.BalanceAfter ?? 0)).toBe(inMicros(balance) + (wallet?.held ?? 0))
    const charges = entries.filter(({ Kind }) => Kind === 'charge')
    expect(charges).toHaveLength(6)
    for (const { Ticket, Amount, BalanceBefore, BalanceAfter, At } of charges) {
      const record = await answerOf(bench.call('GET', `/v1/transactions/${Ticket}/status`), zTransaction)
      expect(record).toMatchObject({
        Status: 'success',
        Cost: Amount,
        EffectedAt: At,
        BalanceBefore,
        BalanceAfter,
      })
    }
  })

  it('takes a beginning that counts and an end that does not', async () => {
    const bench = await openBench({ database: await aPlace(engine) })
    await live(bench)
    const entries = await entriesOf(bench, '200')
    const times = [...new Set(entries.map(({ At }) => Date.parse(At)))]
    for (const time of [...times, START - HOUR, START + 100 * HOUR]) {
      for (const moment of [time - 1, time, time + 1]) {
        const since = entries.filter(({ At }) => Date.parse(At) >= moment)
        const until = entries.filter(({ At }) => Date.parse(At) < moment)
        expect(await entriesOf(bench, '5', { DateFrom: at(moment) })).toEqual(since)
        expect(await entriesOf(bench, '5', { DateTo: at(moment) })).toEqual(until)
      }
    }
  })
})

describe('listLedger: 200', () => {
  it('answers an empty page where nothing matches, and no cursor', async () => {
    const harness = await openHarness()
    expect(await pageOf(harness, { DateTo: '2026-01-05T09:00:00Z' })).toEqual({ Items: [] })
    const backwards = { DateFrom: '2026-01-06T00:00:00Z', DateTo: '2026-01-05T00:00:00Z' }
    expect(await pageOf(harness, backwards)).toEqual({ Items: [] })
  })

  it("lists the caller's own wallet alone", async () => {
    const harness = await openHarness()
    const other = await anotherAccount(harness)
    await harness.sendSms(MESSAGE)
    await harness.advance(HOUR)
    const { Items } = await pageOf(harness, {}, other)
    expect(Items).toMatchObject([{ Seq: 1, Kind: 'credit', Amount: 50, BalanceBefore: 0, BalanceAfter: 50 }])
  })
})
