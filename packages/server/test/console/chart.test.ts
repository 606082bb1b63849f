import { micros } from '@wigwag/contract'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type Bar,
  barsOf,
  isBad,
  labelled,
  marksOf,
  scaleOf,
  slotsOf,
  stackOf,
} from '../../src/web/console/insights/bars.ts'
import { chartSheet, messagesFinding, spendFinding } from '../../src/web/console/insights/chart.tsx'

const bar = (name: string, delivered: number, failed = 0, pending = 0, spend = 0): Bar => ({
  label: name,
  name,
  sent: delivered + failed + pending,
  delivered,
  failed,
  pending,
  spend,
})
const count = fc.oneof(fc.constant(0), fc.nat(20), fc.nat(2_000_000))
const someBars = fc
  .array(fc.record({ delivered: count, failed: count, pending: count }), { minLength: 1, maxLength: 92 })
  .map((all) =>
    all.map(({ delivered, failed, pending }, day) => bar(`day ${day}`, delivered, failed, pending)),
  )

const MONDAY = Date.UTC(2025, 6, 28) / 86_400_000

describe('the bars of a range', () => {
  const row = (key: string, times: number) => ({
    key,
    sent: 10 * times,
    delivered: 6 * times,
    failed: 3 * times,
    pending: times,
    spend: micros(42_000 * times),
  })
  const isoOf = (day: number) => new Date(day * 86_400_000).toISOString().slice(0, 10)

  const SUMS = ['sent', 'delivered', 'failed', 'pending', 'spend'] as const
  type Sums = Record<(typeof SUMS)[number], number>

  it.each([
    [1, 1],
    [7, 7],
    [90, 90],
    [92, 92],
    [93, 14],
    [366, 53],
  ])('of %i days are %i', (days, bars) => {
    expect(barsOf({ first: MONDAY, last: MONDAY + days - 1 }, [])).toHaveLength(bars)
  })

  it('have every message once, days without any included, by day and by week', () => {
    for (const length of [1, 5, 92, 93, 200, 366]) {
      for (const first of [MONDAY, MONDAY + 3, MONDAY + 6]) {
        const rows = Array.from({ length }, (_, day) => row(isoOf(first + day), day % 3)).filter(
          ({ sent }) => sent,
        )
        const bars = barsOf({ first, last: first + length - 1 }, rows)
        const total = (all: readonly Sums[]) =>
          SUMS.map((name) => all.reduce((sum, each) => sum + each[name], 0))
        expect(total(bars)).toEqual(total(rows))
      }
    }
  })

  it('are named after their days, and weeks begin on Monday', () => {
    const names = (first: number, days: number) =>
      barsOf({ first, last: first + days - 1 }, []).map(({ name }) => name)
    expect(names(MONDAY, 2)).toEqual(['28 Jul', '29 Jul'])
    expect(names(MONDAY + 5, 100).slice(0, 2)).toEqual(['2 to 3 Aug', '4 to 10 Aug'])
    expect(names(MONDAY + 6, 100)[0]).toBe('3 Aug')
    expect(names(MONDAY, 100)[0]).toBe('28 Jul to 3 Aug')
  })
})

describe('a chart', () => {
  it('is as high as what it shows: parts add up, and none is negative or leaves the chart', () => {
    fc.assert(
      fc.property(someBars, (bars) => {
        const largest = Math.max(...bars.map(({ delivered, failed }) => delivered + failed))
        const { top } = scaleOf(largest, 3)
        expect(top).toBeGreaterThanOrEqual(largest)
        for (const { delivered, failed } of bars) {
          const [solid, hatched] = stackOf([delivered, failed], top)
          if (!solid || !hatched) throw new Error('a bar has two parts')
          expect(solid.height + hatched.height).toBeCloseTo((100 * (delivered + failed)) / top, 6)
          expect(solid.y + solid.height).toBeCloseTo(100, 6)
          expect(hatched.y + hatched.height).toBeCloseTo(solid.y, 6)
          expect(Math.min(solid.height, hatched.height)).toBeGreaterThanOrEqual(0)
          expect(hatched.y).toBeGreaterThanOrEqual(-1e-6)
        }
        const drawn = chartSheet(bars, 'day', 'GHS').toString()
        expect(drawn).not.toMatch(/NaN|Infinity|(?:width|height)="-/)
      }),
      { numRuns: 50 },
    )
  })

  it.each([1, 2, 7, 30, 92])('has room for %i bars, one beside the other', (bars) => {
    const slots = slotsOf(bars)
    expect(slots).toHaveLength(bars)
    for (const [index, { x, width, centre }] of slots.entries()) {
      expect(x).toBeGreaterThanOrEqual(0)
      expect(width).toBeGreaterThan(0)
      expect(width).toBeLessThanOrEqual(7)
      expect(x + width / 2).toBeCloseTo(centre, 6)
      expect(x + width).toBeLessThanOrEqual((slots[index + 1]?.x ?? 100) + 1e-9)
    }
  })

  it.each([
    [0, 3, [0]],
    [1, 3, [0, 1, 2, 3]],
    [10, 3, [0, 4, 8, 12]],
    [1_177, 3, [0, 400, 800, 1_200]],
    [51_810_000, 2, [0, 30_000_000, 60_000_000]],
    [84_000, 2, [0, 50_000, 100_000]],
  ])('for at most %i has %i round steps', (largest, steps, ticks) => {
    expect(scaleOf(largest, steps).ticks).toEqual(ticks)
  })

  it('has at most five labels, of which the last bar has one', () => {
    for (let bars = 1; bars <= 92; bars++) {
      const labels = labelled(bars)
      expect(labels.has(bars - 1)).toBe(true)
      expect(labels.size).toBeLessThanOrEqual(5)
    }
  })

  it('has labels a week or weeks from each other when it is longer than two weeks', () => {
    expect([...labelled(14)]).toEqual([13, 10, 7, 4, 1])
    expect([...labelled(28)]).toEqual([27, 20, 13, 6])
    expect([...labelled(90)]).toEqual([89, 68, 47, 26, 5])
  })

  it('draws what was delivered solid, what was not hatched above it, and lines at the steps', () => {
    const drawn = chartSheet([bar('1 Nov', 3, 1)], 'day', 'GHS').toString()
    expect(drawn).toMatch(/<rect class="bar" [^>]*y="50.00%" [^>]*height="50.00%"/)
    expect(drawn).toMatch(/<rect class="hatched" [^>]*y="33.33%" [^>]*height="16.67%"/)
    const [messages = ''] = /<svg class="plot".*?<\/svg>/s.exec(drawn) ?? []
    const lines = [...messages.matchAll(/<line x1="0" x2="100%" y1="([\d.]+)%"/g)].map(([, y]) => Number(y))
    expect(lines).toEqual([66.67, 33.33, 0, 100])
  })

  it('calls a bar bad of which more than 5 % were not delivered', () => {
    expect([5, 6].map((failed) => isBad({ delivered: 100 - failed, failed }))).toEqual([false, true])
  })

  it('calls no bar bad of fewer than 20 messages, of which one alone is more than 5 %', () => {
    expect(isBad({ delivered: 0, failed: 19 })).toBe(false)
    expect(isBad({ delivered: 18, failed: 2 })).toBe(true)
    const two = [bar('20 Nov', 0), bar('21 Nov', 1, 1)]
    expect(marksOf(two, slotsOf(2), 3)).toEqual([])
    expect(chartSheet(two, 'day', 'GHS').toString()).not.toContain('More than 5 %')
    expect(messagesFinding(two, 'day')).toContain(' 1 of 2 were not delivered. ')
    const many = [...two, bar('22 Nov', 98, 2)]
    expect(messagesFinding(many, 'day')).toContain(
      ' At least 95 % were delivered on every day with 20 messages or more. ',
    )
    expect(messagesFinding([...many, bar('23 Nov', 87, 13)], 'day')).toContain(
      ' On 23 Nov 13 % were not delivered, on the other days with 20 messages or more at most 2 %. ',
    )
  })

  it('gives the worse of two bars that are near each other its figure, and of equals the larger', () => {
    const bars = Array.from({ length: 10 }, (_, day) => bar(`day ${day}`, 10))
    Object.assign(bars, { 2: bar('some', 90, 10), 3: bar('worse', 10, 10), 6: bar('small', 15, 15) })
    bars[7] = bar('large', 50, 50)
    expect(marksOf(bars, slotsOf(10), 100).map(({ index }) => index)).toEqual([3, 7])
  })

  it('has a figure above the bars that it would hide, tied to its own, and never outside', () => {
    const bars = Array.from({ length: 20 }, (_, day) => bar(`day ${day}`, day === 11 ? 80 : 20))
    bars[10] = bar('bad', 10, 10)
    bars[12] = bar('farther away', 90)
    expect(marksOf(bars, slotsOf(20), 100)).toEqual([{ index: 10, share: 0.5, y: 20, barY: 80 }])
    const ends = Array.from({ length: 92 }, (_, day) => bar(`day ${day}`, day % 91 === 0 ? 0 : 90, 20))
    const drawn = chartSheet(ends, 'day', 'GHS').toString()
    const places = [...drawn.matchAll(/class="figure" x="([\d.]+)%"/g)].map(([, x]) => Number(x))
    expect([places[0], places.at(-1)]).toEqual([2, 98])
  })

  it('gives the worst bars a figure, and no two that would touch', () => {
    fc.assert(
      fc.property(someBars, (bars) => {
        const slots = slotsOf(bars.length)
        const { top } = scaleOf(Math.max(...bars.map(({ delivered, failed }) => delivered + failed)), 3)
        const marks = marksOf(bars, slots, top)
        expect(marks.length > 0).toBe(bars.some(isBad))
        for (const [index, { y, barY }] of marks.entries()) {
          expect(y).toBeLessThanOrEqual(barY + 1e-9)
          const [here, next] = [marks[index], marks[index + 1]].map(
            (mark) => slots[mark?.index ?? -1]?.centre,
          )
          if (here !== undefined && next !== undefined) expect(next - here).toBeGreaterThanOrEqual(20)
        }
      }),
      { numRuns: 50 },
    )
  })

  it('shows few messages beside a huge day by their titles, wherever in the day one points', () => {
    const drawn = chartSheet([bar('1 Nov', 3, 1, 2), bar('2 Nov', 5_000_000)], 'day', 'GHS').toString()
    expect(drawn).toContain('<title>1 Nov: 3 delivered, 1 not, 2 pending</title><rect class="reach"')
  })

  it('without messages is its axes at 0 and a sentence', () => {
    const drawn = chartSheet([bar('1 Nov', 0), bar('2 Nov', 0)], 'day', 'GHS').toString()
    expect(drawn).toContain('Nothing was sent in these days.')
    expect(drawn.match(/<div class="axis" aria-hidden="true"><span>0<\/span><\/div>/g)).toHaveLength(2)
  })
})

describe('the sentence of a chart', () => {
  const ALL = 'The tables below have every number.'
  it.each<[string, Bar[], string]>([
    ['nothing', [bar('1 Nov', 0), bar('2 Nov', 0)], 'Messages a day: nothing was sent in these days.'],
    [
      'one day',
      [bar('1 Nov', 1_206, 6, 2)],
      'Messages on 1 Nov: 1,214, of which 1,206 delivered, 6 not and 2 pending.',
    ],
    [
      'good days',
      [bar('1 Nov', 179), bar('2 Nov', 1_150, 27)],
      `Messages a day: between 179 and 1,177, most on 2 Nov. At least 95 % were delivered on every day. ${ALL}`,
    ],
    [
      'one bad day',
      [bar('8 Nov', 98, 2), bar('9 Nov', 87, 13), bar('10 Nov', 193, 8)],
      `Messages a day: between 100 and 201, most on 10 Nov. On 9 Nov 13 % were not delivered, on the other days at most 4 %. ${ALL}`,
    ],
    [
      'a bad day among perfect ones',
      [bar('8 Nov', 0), bar('9 Nov', 10, 10), bar('10 Nov', 70)],
      `Messages a day: between 0 and 70, most on 10 Nov. On 9 Nov 50 % were not delivered, on the other days none. ${ALL}`,
    ],
    [
      'several bad days',
      [bar('8 Nov', 18, 2), bar('9 Nov', 12, 8), bar('10 Nov', 30)],
      `Messages a day: between 20 and 30, most on 10 Nov. On 2 days more than 5 % were not delivered, most on 9 Nov with 40 %. ${ALL}`,
    ],
    [
      'messages under way',
      [bar('8 Nov', 0), bar('9 Nov', 0, 0, 4)],
      `Messages a day: between 0 and 4, most on 9 Nov. None of them is final yet. ${ALL}`,
    ],
  ])('says what is to be seen: %s', (_, bars, sentence) => {
    expect(messagesFinding(bars, 'day')).toBe(sentence)
  })

  it('names weeks and amounts', () => {
    const much = [bar('1 Nov', 1), bar('2 Nov', 2, 0, 0, 1_234_567_000_000)]
    expect(spendFinding(much, 'day', 'GHS')).toContain('1,234,567.00')
    const weeks = [bar('2 to 8 Nov', 5, 0, 0, 210_000), bar('9 to 15 Nov', 9, 0, 0, 1_378_000)]
    expect(messagesFinding(weeks, 'week')).toContain('most in the week of 9 to 15 Nov')
    expect(spendFinding(weeks, 'week', 'GHS')).toBe(
      `Spend a week in GHS: 1.588 in all, most in the week of 9 to 15 Nov with 1.378. ${ALL}`,
    )
  })
})
