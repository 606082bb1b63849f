import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { at, cancel, recordOf, SCHEDULED, spendable, submissions } from '../../isolation/scheduling.ts'
import { aPlace, ENGINES_WITH_FILE, openBench, START } from '../../support/bench.ts'
import { checkBooks, unfinished } from '../../support/books.ts'
import { MESSAGE } from '../../support/harness.ts'

const MESSAGES = 120
const PRICE = 42_000

describe.each(ENGINES_WITH_FILE)('a cancellation that races the time of its message on %s', (engine) => {
  it('ends each message exactly one way, cancelled or sent, and moves its money once', async () => {
    const bench = await openBench({ database: await aPlace(engine) })
    const before = await spendable(bench)
    const body = { ...MESSAGE, SendAt: at(START + 60_000), CallbackUrl: 'https://receiver.example' }
    const tickets = await Promise.all(
      Array.from({ length: MESSAGES }, async (): Promise<string> => {
        const response = await bench.call('POST', SCHEDULED, {}, body)
        return (await response.json()).Ticket
      }),
    )
    await bench.advance(59_000)
    const cancelAfter = async (ticket: string, turns: number) => {
      for (let n = 0; n < turns; n++) await turn()
      return (await cancel(bench, ticket)).status
    }
    const first = tickets.slice(0, MESSAGES / 2).map((ticket, n) => cancelAfter(ticket, n % 3))
    bench.pass(1_000)
    const second = tickets.slice(MESSAGES / 2).map((ticket, n) => cancelAfter(ticket, n % 40))
    const answers = await Promise.all([...first, ...second])
    await bench.until('all are final', async () => (await unfinished(bench.database)) === 0)
    const sent = await submissions(bench)
    for (const [index, ticket] of tickets.entries()) {
      const won = answers[index] === 200
      expect([answers[index], (await recordOf(bench, ticket)).Status, sent.has(ticket)]).toEqual(
        won ? [200, 'cancelled', false] : [409, 'success', true],
      )
    }
    await checkBooks(bench.database)
    expect(before - (await spendable(bench))).toBe(sent.size * PRICE)
    const { Totals } = await (await bench.call('GET', '/v1/insights/delivery?GroupBy=network')).json()
    expect(Totals).toMatchObject({ Sent: sent.size, Delivered: sent.size, Failed: 0, Pending: 0 })
    await bench.until('every end is posted', () => bench.posted.length === MESSAGES)
  })
})
