import type { zDeliveryInsights } from '@wigwag/contract/validators'
import { describe, expect, it } from 'vitest'
import type * as z from 'zod'
import { epochMs } from '../../src/kernel/ids.ts'
import { addToTotals, type TotalsChange } from '../../src/messages/index.ts'
import { openWorld, type Resident, type World } from '../assistants/oauth/world.ts'
import { aPlace, ENGINES } from '../support/bench.ts'
import { settled } from '../support/books.ts'
import { BULK, bulk, call } from '../support/front.ts'
import { csvRows } from './csv-rows.ts'

const DAY = 86_400_000
const daysAgo = (days: number) => Math.floor(Date.now() / DAY) * DAY - days * DAY
const iso = (at: number) => new Date(at).toISOString().slice(0, 10)

const TO = ['233241234567', '233201200001', '2348032774352', '233241200002', '254722312795']

const WRONG = [
  ['range=5d', 'Expected 7d, 30d or 90d as the range, got “5d”.'],
  ['range=__proto__', 'Expected 7d, 30d or 90d as the range, got “__proto__”.'],
  ['from=yesterday', 'From: expected a day since 1970, such as 2026-11-21, got “yesterday”.'],
  ['from=2026-02-30&to=x', 'To: expected a day since 1970, such as 2026-11-21, got “x”.'],
  ['from=0001-01-01', 'From: expected a day since 1970'],
  ['to=<script>', 'got “&lt;script&gt;”'],
  ['from=2026-02-02&to=2026-02-01', 'From: expected a day no later than 2026-02-01, got 2026-02-02.'],
  ['from=9999-12-31', 'From: expected a day no later than today, got 9999-12-31.'],
  ['from=2020-01-01&to=2021-01-01', 'From: expected at most 366 days in all, got 367.'],
] as const

async function open(database?: string) {
  const world = await openWorld(database === undefined ? {} : { database })
  const [ama, kofi] = [await world.resident('ama'), await world.resident('kofi')]
  return { ...world, ama, kofi, visit: (who: Resident, path: string) => who.person.visit(world.url + path) }
}

/** Adds to what a resident sent on days that are gone. */
async function inThePast(world: World, who: Resident, days: Record<number, Partial<TotalsChange>>) {
  const { database } = world.gateway
  const [wallet] = await database.read(({ run }) =>
    run<{ id: string }>('SELECT id FROM wallets WHERE account_id = $1', [who.accountId]),
  )
  const changes = Object.entries(days).map(([ago, numbers]): TotalsChange => {
    const usual = { country: 'GH', network: 'MTN', sent: 10, delivered: 10, failed: 0, spend: 420_000 }
    return { walletId: wallet?.id ?? '', createdAt: epochMs(daysAgo(Number(ago)) + 1), ...usual, ...numbers }
  })
  await database.write((tx) => addToTotals(tx, changes))
}

describe.each(ENGINES)('insights on %s', (engine) => {
  it('are what the API counts, on the page and in the file', async () => {
    const world = await open(await aPlace(engine))
    const { url, ama, visit } = world
    await call(url, ama, { path: BULK, body: bulk(TO) })
    await settled(world.gateway.database)
    await inThePast(world, ama, { 3: {}, 29: { failed: 1, sent: 11 }, 30: { sent: 7 } })

    const DateFrom = `${iso(daysAgo(29))}T00:00:00Z`
    const counted = async (GroupBy: string): Promise<z.infer<typeof zDeliveryInsights>> => {
      const query = new URLSearchParams({ GroupBy, DateFrom, DateTo: `${iso(daysAgo(-1))}T00:00:00Z` })
      return JSON.parse((await call(url, ama, { path: `/v1/insights/delivery?${query}` })).text)
    }
    const { Totals, Groups } = await counted('network')
    expect(Totals).toMatchObject({ Sent: 26, Delivered: 23, Failed: 3 })

    const { text } = await visit(ama, '/insights')
    expect(text).toContain(`<dd>${Totals.Sent}<small>271 % more than before</small>`)
    expect(text).toContain(`<dd>${Totals.Failed}<small>none before · <a href="/messages?q=status%3A`)
    expect(text).toContain(`GHS ${Totals.Spend.toFixed(4).replace(/0$/, '')}<small>0.42 before`)
    for (const { Key, Sent } of Groups) {
      expect(text).toContain(`<th scope="row"><bdi>${Key}</bdi></th><td class="num">${Sent}<svg`)
    }

    const [, ...lines] = csvRows((await visit(ama, '/insights.csv')).text)
    const days = (await counted('day')).Groups
    expect([...new Set(lines.map(([day]) => day))]).toEqual(days.map(({ Key }) => Key))
    const sum = (column: number) => lines.reduce((total, line) => total + Number(line[column]), 0)
    const { Sent, Delivered, Failed, Pending } = Totals
    expect([sum(3), sum(4), sum(5), sum(6)]).toEqual([Sent, Delivered, Failed, Pending])
    expect(sum(7)).toBeCloseTo(Totals.Spend, 9)
  })
})

describe('the insights page', () => {
  it('has a chip for each range, the one that is shown marked, and its days in the title', async () => {
    const { ama, visit } = await open()
    for (const [range, days] of [
      ['7d', 7],
      ['30d', 30],
      ['90d', 90],
    ] as const) {
      const { text } = await visit(ama, `/insights?range=${range}`)
      expect(text).toContain(`<a href="/insights?range=${range}" aria-current="true">${days} days</a>`)
      expect(text).toContain(`/insights.csv?from=${iso(daysAgo(days - 1))}&amp;to=${iso(daysAgo(0))}"`)
      expect(text.match(/<g><title>[^<]+delivered/g)).toHaveLength(days)
    }
  })

  it('says the finding of its chart in a sentence, and marks the bad day', async () => {
    const world = await open()
    const { ama, visit } = world
    await inThePast(world, ama, {
      2: { sent: 100, delivered: 87, failed: 13 },
      4: { sent: 50, delivered: 50 },
    })
    const { text } = await visit(ama, '/insights')
    expect(text).toMatch(
      /role="img" aria-label="Messages a day: between 0 and 100, most on [^"]+ 13 % were not/,
    )
    expect(text).toMatch(/<path class="warning"[^>]*><\/path>|<path class="warning"[^>]*\/><text[^>]*>13 %</)
  })

  it('says the same of every figure that the days before have none of, and judges no day by two messages', async () => {
    const world = await open()
    const { ama, visit } = world
    await inThePast(world, ama, { 2: { sent: 2, delivered: 1, failed: 1 } })
    const { text } = await visit(ama, '/insights')
    expect([...text.matchAll(/<small>([^<]*)/g)].map(([, words]) => words)).toEqual([
      'none before',
      'none before',
      'none before · ',
      'none before',
    ])
    expect(text).not.toContain('class="warning"')
    expect(text).not.toContain('class="state bad"')
  })

  it('without messages has its axes, and says so', async () => {
    const { ama, visit } = await open()
    const { text } = await visit(ama, '/insights')
    expect(text).toContain('Nothing was sent in these days.')
    expect(text).toContain('<div class="axis" aria-hidden="true"><span>0</span></div>')
    expect(text).not.toContain('<table')
  })

  it('shows weeks where there are too many days, and days that were named with the form open', async () => {
    const world = await open()
    const { ama, visit } = world
    await inThePast(world, ama, { 200: { failed: 2, sent: 12 } })
    const { text } = await visit(ama, `/insights?from=${iso(daysAgo(210))}&to=${iso(daysAgo(10))}`)
    expect(text).toContain('<h2>Messages a week</h2>')
    expect(text).toContain('<details class="days" open')
    expect(text).toContain(`name="to" value="${iso(daysAgo(10))}"`)
    expect(text).toContain(encodeURIComponent(` since:${iso(daysAgo(210))} until:${iso(daysAgo(10))}`))
  })

  it('shows nothing in the place of days that are not clear, and says what is wrong', async () => {
    const { ama, visit } = await open()
    for (const [query, said] of WRONG) {
      for (const path of ['/insights', '/insights.csv']) {
        const { status, text } = await visit(ama, `${path}?${query}`)
        expect(status).toBe(422)
        expect(text).toContain('role="alert"')
        expect(text).toContain(said)
        expect(text).not.toContain('class="chart"')
      }
    }
  })

  it("knows nothing of another account's messages", async () => {
    const world = await open()
    const { ama, kofi, visit } = world
    await inThePast(world, ama, { 2: { network: 'Amas own' } })
    const other = await visit(kofi, '/insights')
    expect(other.text).toContain('Nothing was sent in these days.')
    expect(csvRows((await visit(kofi, '/insights.csv')).text)).toHaveLength(1)
    const paths = ['/insights', '/insights.csv']
    for (const path of paths) expect((await visit(ama, path)).text).toContain('Amas own')
    ama.person.cookies.clear()
    for (const path of paths) expect((await visit(ama, path)).url).toContain('/sign-in?next=')
  })

  it('guards its file against names that a spreadsheet would run', async () => {
    const world = await open()
    const { ama, visit } = world
    await inThePast(world, ama, { 2: { network: '=HYPERLINK("http://a.example")' } })
    const { text, headers } = await visit(ama, '/insights.csv')
    expect(headers.get('content-disposition')).toMatch(/^attachment; filename="insights-\d{4}-/)
    expect(csvRows(text)[1]?.[2]).toBe(`'=HYPERLINK("http://a.example")`)
    expect((await visit(ama, '/insights')).text).toContain('<bdi>GH =HYPERLINK(&quot;http')
  })
})
