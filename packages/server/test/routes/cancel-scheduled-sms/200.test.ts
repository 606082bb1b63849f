import { zTransaction } from '@wigwag/contract/validators'
import { describe, expect, it } from 'vitest'
import { answerOf } from '../../isolation/requests.ts'
import { cancel, recordOf, schedule, spendable } from '../../isolation/scheduling.ts'
import { aPlace, ENGINES, openBench } from '../../support/bench.ts'
import { checkBooks } from '../../support/books.ts'

const SEND_AT = '2026-01-05T10:00:00Z'

describe.each(ENGINES)('cancelScheduledSms on %s: 200', (engine) => {
  it('releases the hold, sends nothing, and answers the same when it is asked again', async () => {
    const bench = await openBench({ database: await aPlace(engine) })
    const before = await spendable(bench)
    const { Ticket } = await schedule(bench, SEND_AT, { Reference: 'r-1' })
    expect(await spendable(bench)).toBe(before - 42_000)
    await bench.advance(60_000)
    const first = await (await cancel(bench, Ticket.toUpperCase())).text()
    expect(JSON.parse(first)).toEqual({
      Type: 'SMS',
      MessageId: Ticket,
      Status: 'cancelled',
      Content: 'Hello',
      To: '233241234567',
      From: 'WIGWAG',
      Reference: 'r-1',
      Cost: 0,
      DateCreated: '2026-01-05T09:00:00.125Z',
      EffectedAt: '2026-01-05T09:01:00.125Z',
      BalanceBefore: 100,
      BalanceAfter: 100,
    })
    expect(await spendable(bench)).toBe(before)
    await bench.advance(3_600_000)
    expect(await (await cancel(bench, Ticket)).text()).toBe(first)
    expect(await recordOf(bench, Ticket)).toEqual(JSON.parse(first))
    expect(await spendable(bench)).toBe(before)
    await checkBooks(bench.database)
  })

  it('posts one callback that says cancelled and costs nothing, however often it is asked', async () => {
    const bench = await openBench({ database: await aPlace(engine) })
    const CallbackUrl = 'https://receiver.example/sms'
    const { Ticket } = await schedule(bench, SEND_AT, { CallbackUrl, Reference: 'r-1' })
    const answers = await Promise.all(Array.from({ length: 5 }, () => cancel(bench, Ticket)))
    for (const answer of answers) {
      expect((await answerOf(answer, zTransaction)).Status).toBe('cancelled')
    }
    await bench.until('the callback', () => bench.posted.length > 0)
    await bench.advance(3_600_000)
    expect(bench.posted.map(({ body }) => JSON.parse(body))).toEqual([
      {
        ClientReference: 'r-1',
        Ticket,
        Destination: '233241234567',
        Cost: 0,
        BalanceBefore: 100,
        BalanceAfter: 100,
        Status: 'cancelled',
      },
    ])
  })
})
