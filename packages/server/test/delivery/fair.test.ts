import { describe, expect, it } from 'vitest'
import { headersOf, newAccount } from '../isolation/world.ts'
import { aPlace, type Bench, ENGINES, openBench } from '../support/bench.ts'
import { BULK } from '../support/front.ts'
import { MESSAGE } from '../support/harness.ts'
import { simulated } from '../support/simulated.ts'

const A_SECOND = 20
const BULK_OF = 1_000
/** How many messages the carrier may hold at most, and one in eight that is for those who stand in line. */
const A_FEW = A_SECOND / 2 + 5

const submitted = async ({ database }: Bench): Promise<string[]> => {
  const rows = await database.read(({ run }) =>
    run<{ id: string }>(
      `SELECT m.id FROM messages m LEFT JOIN outbox o ON o.id = m.id
       WHERE m.status = 'success' OR o.handed_at > 0`,
      [],
    ),
  )
  return rows.map(({ id }) => id)
}

describe.each(ENGINES)('a carrier with a pace on %s', (engine) => {
  it('gets the message of a wallet of which nothing waits after a few of a bulk, and again the next time', async () => {
    const bench = await openBench({
      database: await aPlace(engine),
      config: { simulator: { ...simulated(), tps: A_SECOND } },
    })
    const other = headersOf(await newAccount(bench, 'other'))
    const Recipients = Array.from({ length: BULK_OF }, (_, index) => ({
      To: `23324${1_000_000 + index * 10}`,
    }))
    const bulk = await bench.call('POST', BULK, {}, { From: 'WIGWAG', Content: 'Hello', Recipients })
    expect(bulk.status).toBe(200)
    const isOnItsWay = async () => (await submitted(bench)).length > A_SECOND
    await bench.passUntil('the bulk is on its way', isOnItsWay, 100)
    for (let time = 0; time < 3; time++) {
      const before = (await submitted(bench)).length
      const sent = await bench.call('POST', '/v1/messages/sms', other, MESSAGE)
      const { Ticket } = await sent.json()
      let count = 0
      const hasIt = async () => {
        const ids = await submitted(bench)
        count = ids.length
        return ids.includes(Ticket)
      }
      await bench.passUntil('the carrier has it', hasIt, 50)
      expect(count - before).toBeLessThan(A_FEW)
    }
    expect((await submitted(bench)).length).toBeLessThan(BULK_OF / 2)
  })
})
