import { zScheduledPage } from '@wigwag/contract/validators'
import { describe, expect, it } from 'vitest'
import { answerOf } from '../../isolation/requests.ts'
import { headersOf, newAccount } from '../../isolation/world.ts'
import { aPlace, type Bench, ENGINES, openBench } from '../../support/bench.ts'
import { MESSAGE } from '../../support/harness.ts'

const PATH = '/v1/messages/sms/scheduled'
const pageOf = ({ call }: Bench, query = '', as = {}) =>
  answerOf(call('GET', PATH + query, as), zScheduledPage)

async function schedule({ call }: Bench, SendAt: string, fields: object = {}): Promise<string> {
  const { Ticket } = await (await call('POST', PATH, {}, { ...MESSAGE, SendAt, ...fields })).json()
  return Ticket
}

describe.each(ENGINES)('listScheduledSms on %s: 200', (engine) => {
  it('answers what waits, the next one due first, with what each one holds', async () => {
    const bench = await openBench({ database: await aPlace(engine) })
    const later = await schedule(bench, '2026-01-05T12:00:00+01:00', { Content: 'a'.repeat(161) })
    const sooner = await schedule(bench, '2026-01-05T10:00:00Z', { Reference: 'r-1' })
    const DateCreated = '2026-01-05T09:00:00.125Z'
    const common = { Status: 'scheduled', From: 'WIGWAG', To: '233241234567', DateCreated }
    const SendAt = (hour: string) => `2026-01-05T${hour}:00:00.000Z`
    expect(await pageOf(bench)).toEqual({
      Items: [
        {
          ...common,
          Ticket: sooner,
          SendAt: SendAt('10'),
          Content: 'Hello',
          Reference: 'r-1',
          HeldCost: 0.042,
        },
        {
          ...common,
          Ticket: later,
          SendAt: SendAt('11'),
          Content: 'a'.repeat(161),
          Reference: '',
          HeldCost: 0.084,
        },
      ],
    })
  })

  it('leaves out what is due, cancelled or not scheduled at all', async () => {
    const bench = await openBench({ database: await aPlace(engine) })
    await schedule(bench, '2026-01-05T09:01:00Z')
    const cancelled = await schedule(bench, '2026-01-05T10:00:00Z')
    const waits = await schedule(bench, '2026-01-05T11:00:00Z')
    await bench.call('POST', '/v1/messages/sms', {}, MESSAGE)
    await bench.call('DELETE', `${PATH}/${cancelled}`)
    await bench.advance(60_000)
    await bench.until('the first one is due', async () => (await pageOf(bench)).Items.length === 1)
    expect((await pageOf(bench)).Items.map(({ Ticket }) => Ticket)).toEqual([waits])
  })

  it('reads on page by page, also among equal times, while others come and go', async () => {
    const bench = await openBench({ database: await aPlace(engine) })
    const tickets: string[] = []
    for (let n = 0; n < 9; n++) {
      tickets.push(await schedule(bench, `2026-01-05T1${Math.floor(n / 4)}:00:00Z`))
    }
    const found: string[] = []
    let query = '?Limit=3'
    for (let page = 0; page < 3; page++) {
      const { Items, NextCursor } = await pageOf(bench, query)
      found.push(...Items.map(({ Ticket }) => Ticket))
      expect(NextCursor === undefined).toBe(page === 2)
      query = `?Limit=3&Cursor=${NextCursor}`
      await schedule(bench, '2026-01-05T09:30:00Z')
      await bench.call('DELETE', `${PATH}/${tickets[page]}`)
    }
    expect(found).toEqual(tickets)
  })

  it("shows nothing of another account's", async () => {
    const bench = await openBench({ database: await aPlace(engine) })
    await schedule(bench, '2026-01-05T10:00:00Z')
    expect(await pageOf(bench, '', headersOf(await newAccount(bench, 'other')))).toEqual({ Items: [] })
  })
})
