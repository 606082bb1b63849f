import { micros } from '@wigwag/contract'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { OperatorCarriers } from '../../../src/delivery/operate/carriers.ts'
import { costsBetween } from '../../../src/delivery/operate/margins.ts'
import { addCosts } from '../../../src/delivery/submit/costs.ts'
import { epochMs, type Ticket, TicketMaker } from '../../../src/kernel/ids.ts'
import { addToTotals, totalsByNetwork } from '../../../src/messages/totals.ts'
import type { Database } from '../../../src/store/database.ts'
import { makePlace } from '../../support/engine.ts'
import { eventually } from '../../support/eventually.ts'
import { BALANCE as BALANCE_PATH, call, openFront, SINGLE, single } from '../../support/front.ts'
import { simulated } from '../../support/simulated.ts'
import { BALANCE, openDelivery, PRICE, VALIDITY } from '../delivering.ts'

const HELD = { posted: BALANCE, held: PRICE, entries: 1 }
const newId = new TicketMaker((size) => new Uint8Array(size).fill(9)).make

const auditOf = (database: Database) =>
  database.read(({ run }) =>
    run<{ action: string; detail: string }>('SELECT action, detail FROM audit ORDER BY id', []),
  )

/** The parts, and a message whose carrier never answered. */
async function openUncertain() {
  const opened = await openDelivery()
  opened.carrier.onSubmit = () => ({ kind: 'uncertain' })
  const ticket = await opened.send()
  await opened.work()
  return { ...opened, ticket, parts: new OperatorCarriers({ ...opened, newId }) }
}

describe('an operator who settles an uncertain message', () => {
  let opened: Awaited<ReturnType<typeof openUncertain>>
  beforeEach(async () => {
    opened = await openUncertain()
  })

  it('charges for it when it was delivered', async () => {
    const { database, message, parts, ticket, wallet } = opened
    expect(await parts.settle(ticket, 'success')).toMatchObject({
      settled: true,
      message: { status: 'success', cost: PRICE, currency: 'GHS' },
    })
    expect(await message(ticket)).toMatchObject({ status: 'success', cost: PRICE })
    expect(await wallet()).toEqual({ posted: BALANCE - PRICE, held: 0, entries: 2 })
    const detail = { ticket, carrier: 'scripted', status: 'success' }
    expect(await auditOf(database)).toEqual([{ action: 'message.settle', detail: JSON.stringify(detail) }])
  })

  it('releases the money when it was not, and says why it failed', async () => {
    const { message, parts, ticket, wallet } = opened
    expect(await parts.settle(ticket, 'failed')).toMatchObject({ settled: true })
    expect(await message(ticket)).toMatchObject({
      status: 'failed',
      cost: 0,
      failureReason: 'Decided by the operator: the carrier never answered.',
    })
    expect(await wallet()).toEqual({ posted: BALANCE, held: 0, entries: 1 })
  })

  it('can do so once: what is final stays so, and is recorded nowhere', async () => {
    const { database, late, message, parts, ticket } = opened
    await parts.settle(ticket, 'failed')
    expect(await parts.settle(ticket, 'success')).toMatchObject({
      settled: false,
      message: { status: 'failed', kind: undefined },
    })
    expect(await message(ticket)).toMatchObject({ status: 'failed' })
    expect(await auditOf(database)).toHaveLength(1)
    expect(await late()).toEqual([])
  })

  it.each([
    ['the ending', 'BEFORE UPDATE OF status ON messages'],
    ['the audit row', 'BEFORE INSERT ON audit'],
  ])('settles and audits nothing when %s cannot be stored', async (_, when) => {
    const { database, message, parts, ticket, wallet } = opened
    const poison = `CREATE TRIGGER poison ${when} BEGIN SELECT RAISE(ABORT, 'on purpose'); END`
    await database.write(({ run }) => run(poison, []))
    await expect(parts.settle(ticket, 'success')).rejects.toThrow('on purpose')
    expect(await message(ticket)).toMatchObject({ status: 'pending' })
    expect(await wallet()).toEqual(HELD)
    expect(await auditOf(database)).toEqual([])
    await database.write(({ run }) => run('DROP TRIGGER poison', []))
    expect(await parts.settle(ticket, 'success')).toMatchObject({ settled: true })
  })
})

describe('a message that is not uncertain', () => {
  it.each([
    ['waits to be submitted', 'dispatch', async () => {}],
    ['was taken', 'await', async ({ work }: Awaited<ReturnType<typeof openDelivery>>) => void (await work())],
  ] as const)('cannot be settled when it %s', async (_, kind, prepare) => {
    const opened = await openDelivery()
    const ticket = await opened.send()
    await prepare(opened)
    const parts = new OperatorCarriers({ ...opened, newId })
    expect(await parts.settle(ticket, 'success')).toMatchObject({
      settled: false,
      message: { status: 'pending', kind },
    })
    expect(await opened.wallet()).toEqual(HELD)
    expect(await auditOf(opened.database)).toEqual([])
  })

  it('cannot be settled while a process ends it', async () => {
    const { database, parts, pass, take, ticket } = await openUncertain()
    pass(VALIDITY)
    expect(await take('await')).toHaveLength(1)
    expect(await parts.settle(ticket, 'success')).toMatchObject({
      settled: false,
      message: { isHeld: true },
    })
    expect(await auditOf(database)).toEqual([])
  })

  it('cannot be settled when there is none', async () => {
    const { database, parts } = await openUncertain()
    expect(await parts.settle('no-ticket', 'success')).toEqual({ settled: false, message: undefined })
    expect(await auditOf(database)).toEqual([])
  })
})

it('counts what waits since it was to go, not since its next try', async () => {
  const opened = await openDelivery({ carriers: ['north', 'south'] })
  const parts = new OperatorCarriers({ ...opened, newId })
  const [north, south] = [opened.carrierNamed('north'), opened.carrierNamed('south')]
  north.onSubmit = () => ({ kind: 'uncertain' })
  await opened.send()
  await opened.work()
  north.takes = 'away'
  south.takes = 'away'
  const accepted = opened.clock.now()
  await opened.send()
  opened.pass(11_000)
  await opened.work()
  await south.take([{ ref: 'early', verdict: 'success' }])
  expect((await parts.overview()).messages).toEqual([
    { carrier: 'north', waiting: 1, oldest: accepted, uncertain: 1, early: 0, unmatched: 0 },
    { carrier: 'south', waiting: 0, oldest: undefined, uncertain: 0, early: 1, unmatched: 0 },
  ])
  opened.pass(600_001)
  expect((await parts.overview()).messages[1]).toMatchObject({ early: 1, unmatched: 1 })
  expect(await parts.uncertain(10)).toMatchObject({ total: 1, messages: [{ carrier: 'north' }] })
})

describe.each(['SQLite in memory', 'PostgreSQL'] as const)('the parts of a gateway on %s', (engine) => {
  it('settles a message once when several operators decide at the same time', async () => {
    const place = await makePlace(engine)
    onTestFinished(() => place.remove())
    // Neither an answer nor a receipt ever comes.
    const simulator = simulated({ unanswered: 100, forget: 100 })
    const front = await openFront(place.url, { simulator })
    onTestFinished(() => front.close())
    const { carriers, database } = front.gateway
    const account = await front.account('several', 10_000_000)
    const { Ticket: ticket } = JSON.parse(
      (await call(front.url, account, { path: SINGLE, body: single() })).text,
    ) as { Ticket: Ticket }
    await eventually('the message is uncertain', async () => (await carriers.uncertain(1)).total === 1)
    const decided = await Promise.all(
      (['success', 'failed', 'success', 'failed'] as const).map((status) => carriers.settle(ticket, status)),
    )
    expect(decided.filter(({ settled }) => settled)).toHaveLength(1)
    const [status] = decided.map(({ message }) => message?.status)
    expect(decided.every(({ message }) => message?.status === status)).toBe(true)
    const actions = (await auditOf(database)).map(({ action }) => action)
    expect(actions.filter((action) => action === 'message.settle')).toHaveLength(1)
    const { balance } = JSON.parse((await call(front.url, account, { path: BALANCE_PATH })).text)
    expect(balance).toBe(status === 'success' ? 10 - PRICE / 1_000_000 : 10)
  })

  it('shows what waits, pauses, and adds up costs and spend', async () => {
    const place = await makePlace(engine)
    onTestFinished(() => place.remove())
    const front = await openFront(place.url, { pollMs: 50 })
    onTestFinished(() => front.close())
    const { carriers, database } = front.gateway
    expect([await carriers.pause('simulator'), await carriers.pause('simulator')]).toEqual([true, false])
    await eventually('it is paused', async () =>
      (await carriers.reports()).some((report) => report.carriers.some(({ paused }) => paused)),
    )
    const account = await front.account('waits', 10_000_000)
    await call(front.url, account, { path: SINGLE, body: single() })
    await eventually('it waits', async () => (await carriers.overview()).messages[0]?.waiting === 1)
    expect(await carriers.overview()).toMatchObject({
      messages: [{ carrier: 'simulator', waiting: 1, oldest: expect.any(Number), uncertain: 0, early: 0 }],
    })
    expect([await carriers.resume('simulator'), await carriers.resume('simulator')]).toEqual([true, false])
    await eventually('it was delivered', async () => (await carriers.overview()).messages[0]?.waiting === 0)

    const cost = { carrier: 'north', country: 'GH', network: 'MTN', parts: 2, cost: micros(30_000) }
    const [early, late] = [7_200_000, 10_800_000]
    await database.write((tx) =>
      addCosts(
        tx,
        [early, late].map((hour) => ({ ...cost, hour })),
      ),
    )
    const spent = { country: 'GH', network: 'MTN', sent: 0, delivered: 1, failed: 0, spend: 50_000 }
    const { walletId } = await database.read(async ({ run }) => {
      const [row] = await run<{ walletId: string }>('SELECT wallet_id AS "walletId" FROM messages', [])
      if (!row) throw new Error('expected a message')
      return row
    })
    const createdAt = epochMs(early)
    await database.write((tx) => addToTotals(tx, [{ ...spent, walletId, createdAt }]))
    const since = (hour: number) => database.read((tx) => costsBetween(tx, epochMs(hour)))
    expect(await since(early)).toEqual([{ ...cost, parts: 4, cost: 60_000 }])
    expect(await since(late)).toEqual([cost])
    const spend = await database.read((tx) => totalsByNetwork(tx, createdAt))
    expect(spend).toContainEqual({
      currency: 'GHS',
      country: 'GH',
      network: 'MTN',
      sent: expect.any(Number),
      delivered: expect.any(Number),
      failed: 0,
      spend: expect.any(Number),
    })
  })
})
