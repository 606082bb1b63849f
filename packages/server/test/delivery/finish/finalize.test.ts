import { describe, expect, it } from 'vitest'
import type { Receipt } from '../../../src/delivery/carrier.ts'
import { outboxState } from '../../../src/flow/jobs/outbox.ts'
import type { Ticket } from '../../../src/kernel/ids.ts'
import { countForgotten } from '../../../src/messages/index.ts'
import type { Database } from '../../../src/store/database.ts'
import { BALANCE, openDelivery, PRICE } from '../delivering.ts'

const success = (ticket: Ticket): Receipt => ({ ref: `ref-${ticket}`, verdict: 'success' })

/** Makes the store refuse that a message becomes final, for as long as the test wants. */
async function poison(database: Database, ticket: Ticket): Promise<() => Promise<unknown>> {
  const run = (text: string) => database.write((tx) => tx.run(text, []))
  await run(`CREATE TRIGGER poison BEFORE UPDATE OF status ON messages WHEN NEW.id = '${ticket}'
    BEGIN SELECT RAISE(ABORT, 'on purpose'); END`)
  return () => run('DROP TRIGGER poison')
}

async function openSent(count: number) {
  const opened = await openDelivery()
  const tickets: Ticket[] = []
  for (let index = 0; index < count; index++) tickets.push(await opened.send())
  await opened.work()
  const [bad, ...good] = [tickets[4], ...tickets.filter((_, index) => index !== 4)]
  if (!bad) throw new Error('expected more messages')
  const statusOf = async (ticket: Ticket | undefined) => ticket && (await opened.message(ticket)).status
  return { ...opened, tickets, bad, good: good.filter((ticket) => ticket !== undefined), statusOf }
}

describe('an ending that cannot be settled', () => {
  it('harms none of the endings that came with it', async () => {
    const { bad, carrier, database, good, statusOf, tickets, wallet } = await openSent(9)
    const cure = await poison(database, bad)
    await expect(carrier.take(tickets.map(success))).rejects.toThrow('could not settle 1 of the endings')
    for (const ticket of good) expect(await statusOf(ticket)).toBe('success')
    expect(await statusOf(bad)).toBe('pending')
    expect(await wallet()).toEqual({ posted: BALANCE - 8 * PRICE, held: PRICE, entries: 9 })
    await cure()
    await carrier.take([success(bad)])
    expect(await wallet()).toEqual({ posted: BALANCE - 9 * PRICE, held: 0, entries: 10 })
  })

  it('fails no receipt that was handed over by another call at the same time', async () => {
    const { bad, carrier, database, good, tickets } = await openSent(9)
    await poison(database, bad)
    const results = await Promise.allSettled(tickets.map((ticket) => carrier.take([success(ticket)])))
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(good.length)
    expect(results[4]).toMatchObject({ status: 'rejected' })
  })

  it('keeps its job, which asks for it again', async () => {
    const { bad, carrier, clock, database, jobs, pass, awaitReceipts, take, statusOf } = await openSent(5)
    const cure = await poison(database, bad)
    carrier.onQuery = (ref) => ({ ref, verdict: 'success' })
    pass(carrier.receiptExpectedMs)
    await expect(awaitReceipts(await take('await'))).rejects.toThrow('could not settle')
    expect(await jobs('await')).toMatchObject([{ id: bad }])
    const state = await database.read((tx) => outboxState(tx, clock.now(), 60_000))
    expect(state).toMatchObject({ jobs: 1 + 4 })
    expect(await database.read(countForgotten)).toBe(0)
    await cure()
    await carrier.take([success(bad)])
    expect(await statusOf(bad)).toBe('success')
  })
})
