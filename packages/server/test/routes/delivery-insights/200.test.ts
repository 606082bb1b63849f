import { type zDeliveryInsights, zMessage, zMessagePage } from '@wigwag/contract/validators'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type * as z from 'zod'
import { epochMs } from '../../../src/kernel/ids.ts'
import { countRecords, totalsBetween } from '../../../src/messages/totals.ts'
import { insightsOf, liveThrough } from '../../isolation/history.ts'
import { answerOf } from '../../isolation/requests.ts'
import { aPlace, type Bench, ENGINES, openBench, START } from '../../support/bench.ts'

type Insights = z.infer<typeof zDeliveryInsights>
type Row = Insights['Totals']
type Record_ = z.infer<typeof zMessage>

const HOUR = 3_600_000
const at = (ms: number) => new Date(ms).toISOString()

/** Every message of the wallet, as the search and the detail tell it. */
async function recordsOf(bench: Bench): Promise<Record_[]> {
  const records: Record_[] = []
  let cursor = ''
  do {
    const page = await answerOf(bench.call('GET', `/v1/messages?Limit=200${cursor}`), zMessagePage)
    for (const { MessageId } of page.Items) {
      records.push(await answerOf(bench.call('GET', `/v1/messages/${MessageId}`), zMessage))
    }
    cursor = page.NextCursor === undefined ? '' : `&Cursor=${page.NextCursor}`
  } while (cursor !== '')
  return records
}

function count(Key: string, records: readonly Record_[]): Row {
  const having = (statuses: readonly string[]) =>
    records.filter(({ Status }) => statuses.includes(Status)).length
  const micros = records.reduce((sum, { Cost }) => sum + Math.round(Cost * 1_000_000), 0)
  return {
    Key,
    Sent: records.length,
    Delivered: having(['success']),
    Failed: having(['undelivered', 'expired', 'rejected', 'failed']),
    Pending: having(['pending']),
    Spend: micros / 1_000_000,
  }
}

/** Insights computed word by word as the document describes them. */
function plainly(records: readonly Record_[], groupBy: string, from: number, before: number) {
  const counted = records
    .filter(({ Status }) => Status !== 'scheduled' && Status !== 'cancelled')
    .filter(({ DateCreated }) => Date.parse(DateCreated) >= from && Date.parse(DateCreated) < before)
  const keyOf = ({ DateCreated, Country, Network }: Record_) =>
    groupBy === 'day' ? DateCreated.slice(0, 10) : Network === undefined ? Country : `${Country} ${Network}`
  const groups = [...Map.groupBy(counted, keyOf)].sort(([a], [b]) => (a < b ? -1 : 1))
  return { Groups: groups.map(([key, rows]) => count(key, rows)), Totals: count('total', counted) }
}

describe.each(ENGINES)('deliveryInsights on %s: 200', (engine) => {
  it('adds up to the records, for any range and grouping', async () => {
    const bench = await openBench({ database: await aPlace(engine) })
    const [moments, longestPauseMs] = engine === 'SQLite in memory' ? [40, 20 * HOUR] : [8, HOUR]
    await liveThrough(bench, moments, longestPauseMs)
    const records = await recordsOf(bench)
    expect(new Set(records.map(({ Status }) => Status)).size).toBeGreaterThan(3)
    const created = records.map(({ DateCreated }) => Date.parse(DateCreated))
    const edge = fc.oneof(
      fc.integer({ min: START - HOUR, max: bench.now() + HOUR }),
      fc.constantFrom(...created).chain((time) => fc.integer({ min: -1, max: 1 }).map((by) => time + by)),
      fc.constantFrom(...created).map((time) => time - (time % HOUR)),
    )
    await fc.assert(
      fc.asyncProperty(fc.constantFrom('day', 'network'), edge, edge, async (GroupBy, one, two) => {
        const [from, before] = [Math.min(one, two), Math.max(one, two)]
        const query = { GroupBy, DateFrom: at(from), DateTo: at(before) }
        const insights = await insightsOf(bench, query)
        expect(insights).toEqual({ ...query, Currency: 'GHS', ...plainly(records, GroupBy, from, before) })
        for (const { Sent, Delivered, Failed, Pending } of [...insights.Groups, insights.Totals]) {
          expect(Sent).toBe(Delivered + Failed + Pending)
        }
      }),
      { numRuns: 60 },
    )
  })

  it('keeps totals that are those of the records, hour by hour', async () => {
    const bench = await openBench({ database: await aPlace(engine) })
    await liveThrough(bench, 6, HOUR)
    const [wallet] = await bench.database.read(({ run }) => run<{ id: string }>('SELECT id FROM wallets', []))
    const sorted = (rows: object[]) => rows.map((row) => JSON.stringify(row)).sort()
    for (let hour = START - (START % HOUR); hour < bench.now(); hour += HOUR) {
      const range = [wallet?.id ?? '', epochMs(hour), epochMs(hour + HOUR)] as const
      const kept = await bench.database.read((tx) => totalsBetween(tx, ...range))
      const counted = await bench.database.read((tx) => countRecords(tx, ...range))
      const plain = kept.filter(({ sent }) => sent > 0)
      expect(sorted(plain)).toEqual(sorted(counted))
    }
  })
})

describe('deliveryInsights: 200', () => {
  it('answers the thirty days up to now when no range is named', async () => {
    const bench = await openBench()
    const { DateFrom, DateTo } = await insightsOf(bench, { GroupBy: 'day' })
    expect([DateFrom, DateTo]).toEqual(['2025-12-06T09:00:00.125Z', '2026-01-05T09:00:00.125Z'])
    const past = await insightsOf(bench, { GroupBy: 'day', DateTo: '2025-03-31T02:00:00+02:00' })
    expect([past.DateFrom, past.DateTo]).toEqual(['2025-03-01T00:00:00.000Z', '2025-03-31T00:00:00.000Z'])
    const since = await insightsOf(bench, { GroupBy: 'day', DateFrom: '2024-01-01T00:00:00Z' })
    expect([since.DateFrom, since.DateTo]).toEqual(['2024-01-01T00:00:00.000Z', '2026-01-05T09:00:00.125Z'])
  })

  it.each([
    ['1970-01-01T00:00:00Z', '9999-12-31T23:59:59.999Z'],
    ['0000-01-01T00:00:00Z', '9999-12-31T23:59:59-14:00'],
    ['2026-01-05T09:00:00Z', '2026-01-05T09:00:00Z'],
  ])('takes a range from %s to %s, and answers times that are times', async (DateFrom, DateTo) => {
    const bench = await openBench()
    const insights = await insightsOf(bench, { GroupBy: 'network', DateFrom, DateTo })
    expect(insights.Groups).toEqual([])
    expect(insights.Totals).toEqual({ Key: 'total', Sent: 0, Delivered: 0, Failed: 0, Pending: 0, Spend: 0 })
  })
})
