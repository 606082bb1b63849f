import { describe, expect, it } from 'vitest'
import { aPlace, type Bench, openBench } from '../support/bench.ts'
import { checkStandings } from '../support/books.ts'
import { eventually } from '../support/eventually.ts'
import { BULK } from '../support/front.ts'
import { MESSAGE } from '../support/harness.ts'
import { simulated } from '../support/simulated.ts'
import { turns } from '../support/turns.ts'

const PRICE = 42_000

async function sendOne(bench: Bench): Promise<void> {
  const sent = await bench.call(
    'POST',
    '/v1/messages/sms',
    {},
    { ...MESSAGE, CallbackUrl: 'https://a.example/' },
  )
  expect(sent.status).toBe(200)
}

async function sendMany(bench: Bench, count: number): Promise<void> {
  const Recipients = Array.from({ length: count }, (_, index) => ({ To: `2332412${10_000 + index}` }))
  const sent = await bench.call('POST', BULK, {}, { From: 'WIGWAG', Content: 'Hello', Recipients })
  expect(sent.status).toBe(200)
}

const countOf = async ({ database }: Bench, condition: string): Promise<number> => {
  const [row] = await database.read(({ run }) =>
    run<{ n: number }>(
      `SELECT count(*) AS n FROM messages m LEFT JOIN outbox o ON o.id = m.id WHERE ${condition}`,
      [],
    ),
  )
  return row?.n ?? 0
}
const ANSWERED = "(m.status = 'success' OR o.submitted_at > 0)"
const DELIVERED = "m.status = 'success'"
const HANDED_OVER = "(m.status = 'success' OR o.handed_at > 0)"

describe('a gateway with a simulated carrier', () => {
  it('hands over no more than its window while the carrier has not answered, and the rest then', async () => {
    const bench = await openBench({ config: { simulator: { ...simulated(), window: 4, answerMs: 1_000 } } })
    await sendMany(bench, 20)
    for (let answered = 0; answered < 20; answered += 4) {
      await eventually('the window is full', async () => (await countOf(bench, HANDED_OVER)) >= answered + 4)
      await turns()
      expect(await countOf(bench, HANDED_OVER)).toBe(answered + 4)
      expect(await countOf(bench, ANSWERED)).toBe(answered)
      bench.pass(1_000)
    }
    await eventually('all are answered', async () => (await countOf(bench, ANSWERED)) === 20)
    await bench.advance(20)
    expect(await countOf(bench, DELIVERED)).toBe(20)
  })

  it('submits at the pace of the carrier', async () => {
    const bench = await openBench({ config: { simulator: { ...simulated(), tps: 5 } } })
    await sendMany(bench, 30)
    const began = bench.now()
    for (let answered = 0; answered < 30; ) {
      bench.pass(50)
      await turns()
      answered = await countOf(bench, ANSWERED)
      expect(answered).toBeLessThanOrEqual(1 + (5 * (bench.now() - began)) / 1_000)
      expect(await countOf(bench, HANDED_OVER)).toBeLessThanOrEqual(answered + 1)
    }
    expect(bench.now() - began).toBeLessThan(7_000)
    await checkStandings(bench.database)
  })

  it.each([
    ['early', 0],
    ['late', 60_000],
    ['twice', 2_000],
    ['forget', 60_000],
  ] as const)('delivers and charges a message once when its receipt is: %s', async (trouble, afterMs) => {
    const bench = await openBench({ config: { simulator: simulated({ [trouble]: 100 }) } })
    await sendOne(bench)
    await bench.advance(afterMs)
    expect(await countOf(bench, `m.status = 'success' AND m.cost = ${PRICE}`)).toBe(1)
    await bench.advance(60_000)
    expect(bench.posted).toHaveLength(1)
    const posts = await bench.database.read(({ run }) =>
      run("SELECT 1 AS one FROM ledger WHERE kind = 'post'", []),
    )
    expect(posts).toHaveLength(1)
    await checkStandings(bench.database)
  })

  it('ends what was under way when it was stopped, by asking once it runs again', async () => {
    const database = await aPlace('an SQLite file')
    const simulator = { ...simulated(), delayMs: 10_000 }
    const first = await openBench({ database, config: { simulator } })
    await sendMany(first, 3)
    await first.until('all are answered', async () => (await countOf(first, ANSWERED)) === 3, 100)
    await first.stop()
    const second = await openBench({ database, startAt: first.now() + 5_000, config: { simulator } })
    await second.until('all are final', async () => (await countOf(second, DELIVERED)) === 3)
    await checkStandings(second.database)
  })

  it('submits nothing again that the carrier did not answer, and keeps its price held', async () => {
    const database = await aPlace('an SQLite file')
    const simulator = simulated({ unanswered: 100, forget: 100 })
    const first = await openBench({ database, config: { simulator } })
    await sendOne(first)
    const isUncertain = async ({ carriers }: Bench) => (await carriers.uncertain(1)).total === 1
    await first.until('it is uncertain', () => isUncertain(first))
    await first.stop()
    const second = await openBench({
      database,
      startAt: first.now() + 60_000,
      config: { simulator: simulated() },
    })
    await second.advance(3_600_000)
    expect(await isUncertain(second)).toBe(true)
    await checkStandings(second.database)
  })
})
