import { describe, expect, it } from 'vitest'
import { epochMs } from '../../src/kernel/ids.ts'
import { type FoundPage, type MessageQuery, messageWith } from '../../src/messages/history/find.ts'
import { timelineSource } from '../../src/messages/history/timeline.ts'
import { insertRows } from '../../src/store/rows.ts'
import { aPlace, type Bench, ENGINES, openBench, START } from '../support/bench.ts'
import { MESSAGE } from '../support/harness.ts'
import { simulated } from '../support/simulated.ts'
import { messageRow, putWallets, type Wallet } from './message-rows.ts'

const walletNo = (no: number): Wallet => {
  const id = `w-${String(no).padStart(4, '0')}`
  return { id, accountId: `account-${id}` }
}

/** Wallets of as many customers, each with a message that is final and one that is not. */
async function putCustomers(
  { database }: Bench,
  customers: readonly number[],
  fields: object,
): Promise<void> {
  await database.write(async (tx) => {
    const createdAt = epochMs(START)
    await putWallets(tx, customers.map(walletNo), createdAt)
    const sent = customers.flatMap((no) =>
      (['success', 'pending'] as const).map((status, index) =>
        messageRow(walletNo(no), { createdAt: epochMs(START + no * 10 + index), status, ...fields }),
      ),
    )
    await insertRows(tx, tx.t.messages, sent)
  })
}

const auditOf = ({ database }: Bench) =>
  database.read(({ run }) =>
    run<{ action: string; accountId: string | null; detail: string }>(
      `SELECT action, account_id AS "accountId", detail FROM audit WHERE action LIKE 'message.%' ORDER BY id`,
      [],
    ),
  )

describe.each(ENGINES)('an operator on %s', (engine) => {
  it('finds messages of all customers by number, by reference and by ticket, and it is audited', async () => {
    const bench = await openBench({ database: await aPlace(engine) })
    await putCustomers(bench, [1, 2], { recipient: '233551234567', reference: 'order-7' })
    await putCustomers(bench, [3], {})
    const page = { limit: 10, after: undefined }
    const byNumber = await bench.messages.find({ to: '233551234567' }, undefined, page)
    expect(byNumber.next).toBeUndefined()
    expect(byNumber.messages.map(({ accountId, status }) => [accountId, status])).toEqual([
      ...['pending', 'success'].map((status) => [walletNo(2).accountId, status]),
      ...['pending', 'success'].map((status) => [walletNo(1).accountId, status]),
    ])
    // The national prefix is another way to write the same number.
    expect((await bench.messages.find({ to: '2330551234567' }, undefined, page)).messages).toHaveLength(4)
    const byReference = await bench.messages.find({ reference: 'order-7' }, walletNo(1).accountId, page)
    expect(byReference.messages.map(({ accountId }) => accountId)).toEqual(
      Array(2).fill(walletNo(1).accountId),
    )
    const [first] = byReference.messages
    const byTicket = await bench.messages.find({ ticket: first?.ticket ?? '' }, undefined, page)
    expect(byTicket.messages).toEqual([first])
    expect(JSON.stringify([byNumber, byReference, byTicket])).not.toContain('Hello')

    expect((await auditOf(bench)).map(({ accountId, detail }) => [accountId, JSON.parse(detail)])).toEqual([
      [null, { to: '233551234567' }],
      [null, { to: '2330551234567' }],
      [walletNo(1).accountId, { reference: 'order-7' }],
      [null, { ticket: first?.ticket }],
    ])
  })

  it('finds them newest first across many customers, page by page, each once', async () => {
    const bench = await openBench({ database: await aPlace(engine) })
    const customers = Array.from({ length: 70 }, (_, no) => no)
    await putCustomers(bench, customers.slice(0, -60), {})
    const alike = { reference: 'order-7', recipient: '233551234567', carrierRef: 'smsc-7' }
    await putCustomers(bench, customers.slice(-60), alike)
    for (const asked of [{ reference: 'order-7' }, { to: '233551234567' }, { carrierReference: 'smsc-7' }]) {
      const pages: FoundPage['messages'][] = []
      let after: FoundPage['next']
      do {
        const page = await bench.messages.find(asked, undefined, { limit: 50, after })
        pages.push(page.messages)
        after = page.next
      } while (after)
      expect(pages.map(({ length }) => length)).toEqual([50, 50, 20])
      const times = pages.flat().map(({ createdAt }) => createdAt)
      expect(times).toEqual([...times].sort((a, b) => b - a))
      expect(new Set(times).size).toBe(120)
    }
    expect(await auditOf(bench)).toHaveLength(3)
  })

  it('finds by any of several things, by a carrier’s reference, and all of one customer', async () => {
    const bench = await openBench({
      database: await aPlace(engine),
      config: { simulator: simulated({ forget: 100 }) },
    })
    await putCustomers(bench, [1], { reference: '4711' })
    const { Ticket } = await (await bench.call('POST', '/v1/messages/sms', {}, MESSAGE)).json()
    const show = () => bench.messages.show(Ticket, { text: false })
    await bench.until('it was submitted', async () => ((await show())?.references.length ?? 0) > 0)
    const carrierReference = (await show())?.references[0] ?? ''
    const page = { limit: 10, after: undefined }
    const find = async (asked: MessageQuery, account?: string) =>
      (await bench.messages.find(asked, account, page)).messages.map(({ accountId }) => accountId)
    expect(await find({ carrierReference })).toEqual([bench.demo.accountId])
    expect((await find({ carrierReference, reference: '4711' })).sort()).toEqual(
      [walletNo(1).accountId, walletNo(1).accountId, bench.demo.accountId].sort(),
    )
    expect(await find({}, walletNo(1).accountId)).toEqual(Array(2).fill(walletNo(1).accountId))
    expect(await find({ carrierReference }, walletNo(1).accountId)).toEqual([])
    expect(await find({})).toEqual([])
    // The first one fits twice, the second one not: it has another reference, of which this is a part.
    await putCustomers(bench, [2], { carrierRef: carrierReference })
    await putCustomers(bench, [3], { carrierRef: `${carrierReference} another` })
    expect((await find({ carrierReference })).sort()).toEqual(
      [walletNo(2).accountId, walletNo(2).accountId, bench.demo.accountId].sort(),
    )
    expect(
      await find({ carrierReference: `${carrierReference} another` }, walletNo(3).accountId),
    ).toHaveLength(2)
    expect(await find({ carrierReference: '' })).toEqual([])
    await putCustomers(bench, [4, 5, 6], { carrierRef: 'smsc-7' })
    const ofOne = await bench.messages.find({ carrierReference: 'smsc-7' }, walletNo(4).accountId, {
      limit: 1,
      after: undefined,
    })
    expect([ofOne.messages.length, ofOne.next]).toEqual([1, expect.anything()])
  })

  it('follows a message: its steps, its carrier and that one’s reference, its price, and its callback', async () => {
    const bench = await openBench({ database: await aPlace(engine) })
    bench.answer = () => new Response('no such order', { status: 404 })
    const body = { ...MESSAGE, CallbackUrl: 'https://receiver.example/sms' }
    const { Ticket } = await (await bench.call('POST', '/v1/messages/sms', {}, body)).json()
    const show = () => bench.messages.show(Ticket, { text: false })
    await bench.until('it was posted', async () => (await show())?.callbacks[0]?.attempts.length === 1)
    const followed = await show()
    expect(followed).toMatchObject({
      message: { id: Ticket, status: 'success', price: 42_000, cost: 42_000 },
      content: undefined,
      currency: 'GHS',
      carrier: 'simulator',
      submittedAt: START,
      references: [expect.stringMatching(/^sim-success-/)],
      waiting: undefined,
      callbacks: [{ state: 'pending', attempts: [{ seq: 1, httpStatus: 404, reply: 'no such order' }] }],
    })
    expect(followed?.message).not.toHaveProperty('content')
    expect(followed?.timeline.map(({ event }) => event)).toEqual([
      'accepted',
      'submitted',
      'success',
      'callback_failed',
    ])
    expect(followed?.callbacks[0]?.nextAttemptAt).toBeGreaterThan(START)
  })

  it('shows the end of a message that ends while it is read', async () => {
    const bench = await openBench({ database: await aPlace(engine) })
    const { Ticket } = await (await bench.call('POST', '/v1/messages/sms', {}, MESSAGE)).json()
    const before = await bench.database.read((tx) => messageWith(tx, Ticket))
    if (before?.status !== 'pending') throw new Error('expected a message that is not final')
    await bench.until(
      'it is final',
      async () => (await bench.messages.show(Ticket, { text: false }))?.message.status === 'success',
    )
    const source = await bench.database.read((tx) => timelineSource(tx, before, bench.now()))
    expect(source).toMatchObject({
      message: { status: 'success', submittedAt: START },
      waiting: undefined,
      carrierRef: expect.stringMatching(/^sim-success-/),
    })
  })

  it('reads a text only when asking for it, and each look is audited with that', async () => {
    const bench = await openBench({ database: await aPlace(engine) })
    const { Ticket } = await (await bench.call('POST', '/v1/messages/sms', {}, MESSAGE)).json()
    expect((await bench.messages.show(Ticket, { text: false }))?.content).toBeUndefined()
    expect((await bench.messages.show(Ticket, { text: true }))?.content).toBe('Hello')
    expect(await bench.messages.show('no-ticket', { text: true })).toBeUndefined()
    const { accountId } = bench.demo
    expect(await auditOf(bench)).toEqual(
      [false, true].map((text) => ({
        action: 'message.show',
        accountId,
        detail: JSON.stringify({ ticket: Ticket, text }),
      })),
    )
  })

  it('shows nothing when the look can’t be audited', async () => {
    const bench = await openBench({ database: await aPlace(engine) })
    const { Ticket } = await (await bench.call('POST', '/v1/messages/sms', {}, MESSAGE)).json()
    await bench.database.write(({ run }) => run('ALTER TABLE audit RENAME TO audit_away', []))
    await expect(bench.messages.show(Ticket, { text: true })).rejects.toThrow(/audit/)
    const page = { limit: 10, after: undefined }
    await expect(bench.messages.find({ ticket: Ticket }, undefined, page)).rejects.toThrow(/audit/)
    await bench.database.write(({ run }) => run('ALTER TABLE audit_away RENAME TO audit', []))
  })
})

describe('a message that waits', () => {
  it('shows how often it was not taken, and when it goes again', async () => {
    const bench = await openBench({ config: { submitRetryMs: [60_000, 60_000] } })
    const body = { ...MESSAGE, To: '233241200004' }
    const { Ticket } = await (await bench.call('POST', '/v1/messages/sms', {}, body)).json()
    await bench.advance(100)
    expect(await bench.messages.show(Ticket, { text: false })).toMatchObject({
      carrier: 'simulator',
      waiting: { for: 'dispatch', attempts: 1, nextAt: START + 60_000, unconfirmedSince: undefined },
    })
  })
})
