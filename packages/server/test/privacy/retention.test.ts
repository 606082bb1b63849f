import { zDeliveryInsights, zLedgerPage, zMessagePage, zProblem } from '@wigwag/contract/validators'
import { describe, expect, it } from 'vitest'
import type { Config } from '../../src/config/config.ts'
import { answerOf } from '../isolation/requests.ts'
import { schedule } from '../isolation/scheduling.ts'
import { aPlace, type Bench, openBench } from '../support/bench.ts'
import { MESSAGE } from '../support/harness.ts'
import { booksBalance, rowsOf } from './stored.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const URL_ = 'https://receiver.example/sms'
const KEEP_ALL = { messagesMs: undefined, callbacksMs: undefined, auditMs: undefined }

async function open(
  engine: 'SQLite in memory' | 'PostgreSQL',
  retain: Partial<Config['retain']>,
): Promise<Bench> {
  return openBench({ database: await aPlace(engine), config: { retain: { ...KEEP_ALL, ...retain } } })
}

/** Lets days pass at once, with one run of housekeeping at their end. */
async function skip(bench: Bench, ms: number): Promise<void> {
  bench.pass(ms)
  await bench.advance(1_000)
}

async function send({ call }: Bench, changes: object = {}): Promise<string> {
  const response = await call('POST', '/v1/messages/sms', {}, { ...MESSAGE, CallbackUrl: URL_, ...changes })
  const { Ticket } = (await response.json()) as { Ticket: string }
  return Ticket
}

const insights = (bench: Bench, from: number, before: number) => {
  const range = new URLSearchParams({
    GroupBy: 'network',
    DateFrom: new Date(from).toISOString(),
    DateTo: new Date(before).toISOString(),
  })
  return answerOf(bench.call('GET', `/v1/insights/delivery?${range}`), zDeliveryInsights)
}

describe.each(['SQLite in memory', 'PostgreSQL'] as const)(
  'keeping for a number of days, on %s',
  (engine) => {
    it('deletes final messages with all about them, and keeps money and totals', async () => {
      const bench = await open(engine, { messagesMs: 2 * DAY })
      const old = await send(bench)
      await send(bench, { To: '233241200001' })
      await bench.advance(10_000)
      const start = bench.now() - HOUR
      const before = await insights(bench, start, bench.now())
      const ledger = await answerOf(bench.call('GET', '/v1/account/ledger'), zLedgerPage)
      expect(before.Totals).toMatchObject({ Sent: 2, Delivered: 1, Failed: 1 })

      await skip(bench, 2 * DAY - HOUR)
      expect(await rowsOf(bench, 'messages')).toBe(2)
      const young = await send(bench)
      await bench.advance(1_000)
      await skip(bench, 2 * HOUR)

      const left = await answerOf(bench.call('GET', '/v1/messages'), zMessagePage)
      expect(left.Items.map(({ MessageId }) => MessageId)).toEqual([young])
      expect(await rowsOf(bench, 'messages')).toBe(1)
      expect(await rowsOf(bench, 'callbacks')).toBe(1)
      expect(await rowsOf(bench, 'callback_attempts')).toBe(1)
      const kept = await answerOf(bench.call('GET', '/v1/account/ledger'), zLedgerPage)
      expect(kept.Items.slice(1)).toEqual(ledger.Items)
      const after = await insights(bench, start, start + 2 * HOUR)
      expect(after.Totals).toEqual(before.Totals)
      expect(await booksBalance(bench.database)).toBe(true)
      const gone = await bench.call('GET', `/v1/transactions/${old}/status`)
      expect(gone.status).toBe(404)
      const problem = zProblem.parse(await gone.json())
      expect(problem.code).toBe('transaction_not_found')
      expect(problem.detail).toMatch(
        /^This account has no transaction \S+\. Messages from before 2026-01-05T\S+ have been deleted; the ledger/,
      )
    })

    it('counts each hour once in ranges that meet within it, though its messages are gone', async () => {
      const bench = await open(engine, { messagesMs: DAY })
      await bench.advance(HOUR)
      const middle = bench.now()
      await send(bench)
      await skip(bench, 3 * DAY)
      const early = await insights(bench, middle - 3 * HOUR, middle + 1_000)
      const late = await insights(bench, middle + 1_000, middle + 3 * HOUR)
      expect(early.Totals.Sent + late.Totals.Sent).toBe(1)
    })

    it('keeps what is not final, and counts a scheduled message from its end', async () => {
      const bench = await open(engine, { messagesMs: DAY })
      const { Ticket } = await schedule(bench, new Date(bench.now() + 3 * DAY).toISOString())
      await skip(bench, 2 * DAY)
      expect(await rowsOf(bench, 'messages')).toBe(1)
      await skip(bench, DAY + HOUR)
      expect((await bench.call('GET', `/v1/transactions/${Ticket}/status`)).status).toBe(200)
      await skip(bench, DAY + HOUR)
      expect((await bench.call('GET', `/v1/transactions/${Ticket}/status`)).status).toBe(404)
      expect(await rowsOf(bench, 'outbox')).toBe(0)
    })

    it('deletes callbacks and audit rows by their own number of days, and not those that still wait', async () => {
      const bench = await open(engine, { callbacksMs: DAY, auditMs: DAY })
      await send(bench)
      await bench.advance(10_000)
      bench.answer = () => new Response(null, { status: 500 })
      await send(bench)
      await bench.advance(HOUR)
      await skip(bench, DAY)
      expect(await rowsOf(bench, 'messages')).toBe(2)
      expect(await rowsOf(bench, 'callbacks')).toBe(1)
      expect(await rowsOf(bench, 'audit')).toBe(0)
      expect(await rowsOf(bench, 'callback_attempts')).toBeGreaterThan(3)
    })

    it('keeps everything when no number of days is set', async () => {
      const bench = await open(engine, {})
      await send(bench)
      await bench.operator.setStatus(bench.demo.accountId, 'active')
      const audited = await rowsOf(bench, 'audit')
      await skip(bench, 3 * DAY)
      expect(await rowsOf(bench, 'messages')).toBe(1)
      expect(await rowsOf(bench, 'callbacks')).toBe(1)
      expect(await rowsOf(bench, 'audit')).toBe(audited)
    })
  },
)
