import { micros } from '@wigwag/contract'
import { describe, expect, it } from 'vitest'
import { loadConfig } from '../../src/config/config.ts'
import { brokenEntries, emptyWallet, forgetEntries, unevenWallets } from '../../src/money/index.ts'
import { inspect } from '../../src/operate/doctor/checks.ts'
import { forgetSends } from '../../src/operate/privacy/index.ts'
import { StartOver } from '../../src/sandbox/sandbox.ts'
import type { Tx, WriteOptions } from '../../src/store/database.ts'
import { insertRows } from '../../src/store/rows.ts'
import { openWorld, type World } from '../assistants/oauth/world.ts'
import { walletIdOf } from '../support/assistants.ts'
import { aPlace } from '../support/bench.ts'
import { eventually } from '../support/eventually.ts'
import { bulk, call, SINGLE, single } from '../support/front.ts'
import { ticketsOf } from '../support/load.ts'

const numbers = (count: number) => Array.from({ length: count }, (_, index) => `2332412${10_000 + index}`)

async function open(engine: 'an SQLite file' | 'PostgreSQL') {
  const database = await aPlace(engine)
  const world = await openWorld({
    database,
    outbound: async () => ({
      kind: 'reply',
      status: 500,
      headers: {},
      body: new Uint8Array(),
      truncated: false,
      latencyMs: 1,
    }),
  })
  const { demo, sandbox } = world.gateway
  if (!demo || !sandbox) throw new Error('a sandbox has a demo account and controls')
  const walletId = await walletIdOf(world.gateway, demo.accountId)
  return {
    ...world,
    databaseUrl: database,
    demo,
    sandbox,
    walletId,
    ours: {
      accountId: demo.accountId,
      clientId: demo.clientId,
      senders: new Map(),
      wallet: { id: walletId, currency: 'GHS' },
    },
  }
}

/** Every row that an account's messages leave behind, by table. */
async function traces({ gateway }: World): Promise<Record<string, number>> {
  const tables = [
    'messages',
    'outbox',
    'callbacks',
    'callback_attempts',
    'late_receipts',
    'hourly_totals',
    'idempotency',
  ]
  return gateway.database.read(async ({ run }) => {
    const counts: Record<string, number> = {}
    for (const table of tables) {
      const [row] = await run<{ n: number }>(`SELECT count(*) AS n FROM ${table}`, [])
      counts[table] = row?.n ?? 0
    }
    return counts
  })
}

const SLICE = 10
/** More than a slice. */
const COUNT = 11

const NOTHING = {
  messages: 0,
  outbox: 0,
  callbacks: 0,
  callback_attempts: 0,
  late_receipts: 0,
  hourly_totals: 0,
  idempotency: 0,
}

async function expectEvenBooks({ gateway }: World): Promise<void> {
  expect(await gateway.database.read((tx) => brokenEntries(tx, 10))).toEqual([])
  expect(await gateway.database.read((tx) => unevenWallets(tx, 10))).toEqual([])
}

async function expectGreenDoctor({ gateway }: World, database: string): Promise<void> {
  const findings = await inspect(gateway.database, loadConfig({ database }, {}))
  const about = ['clock', 'ledger', 'outbox', 'carriers']
  expect(findings.filter(({ check, state }) => about.includes(check) && state !== 'ok')).toEqual([])
  expect(findings.map(({ check }) => check)).toEqual(expect.arrayContaining(about))
}

describe.each(['an SQLite file', 'PostgreSQL'] as const)('starting over on %s', (engine) => {
  it('deletes all that the demo account sent, and leaves the books even', async () => {
    const world = await open(engine)
    const { url, demo, sandbox, ours, gateway, databaseUrl } = world
    const { database, clock } = gateway
    const startOver = new StartOver({
      database,
      clock,
      audit: async () => {},
      forgetSends: (owner) => forgetSends(database, owner, SLICE),
      start: sandbox.start,
      slice: SLICE,
    })
    const bulks = bulk(numbers(2 * COUNT))
    const sent = await call(url, demo, { path: '/v1/messages/sms/bulk/otm', body: bulks, key: 'a-bulk' })
    expect(sent.status).toBe(200)
    const posted = { ...single('233241200006'), CallbackUrl: 'https://shop.example/' }
    const [Ticket] = ticketsOf((await call(url, demo, { path: SINGLE, body: posted, key: 'one' })).text)
    await call(url, demo, { path: SINGLE, body: single('233241200005') })
    const SendAt = new Date(gateway.clock.now() + 3_600_000).toISOString()
    await call(url, demo, { path: `${SINGLE}/scheduled`, body: { ...single(), SendAt } })
    await eventually('all that can be is final', async () => {
      const [row] = await gateway.database.read(({ run }) =>
        run<{ n: number }>("SELECT count(*) AS n FROM messages WHERE status = 'success'", []),
      )
      const { callback_attempts } = await traces(world)
      return row?.n === 2 * COUNT + 1 && callback_attempts === 1
    })
    await call(url, demo, { path: '/sandbox/receipts', body: { Ticket, Status: 'undelivered' } })
    expect((await traces(world)).late_receipts).toBeGreaterThan(0)
    expect(await startOver.run(ours)).toBe(true)
    expect(await traces(world)).toEqual(NOTHING)
    await expectEvenBooks(world)
    await expectGreenDoctor(world, databaseUrl)
    const [wallet] = await gateway.database.read(({ run }) =>
      run('SELECT posted, held, entries FROM wallets', []),
    )
    expect(wallet).toEqual({ posted: 100_000_000, held: 0, entries: 1 })
    // The key is free again, and the account goes on as before.
    expect((await call(url, demo, { path: SINGLE, body: single(), key: 'one' })).status).toBe(200)
  })

  it('touches no other account', async () => {
    const world = await open(engine)
    const { url, demo, sandbox, ours } = world
    const kofi = await world.account('kofi', 50_000_000)
    for (const own of [kofi, demo]) {
      const { text } = await call(url, own, { path: SINGLE, body: single(), key: 'same' })
      const path = `/v1/transactions/${JSON.parse(text).Ticket}/status`
      await eventually('final', async () => (await call(url, own, { path })).text.includes('success'))
    }
    const before = await call(url, kofi, { path: SINGLE, body: single(), key: 'same' })
    await sandbox.startOver.run(ours)
    expect(await traces(world)).toMatchObject({ messages: 1, hourly_totals: 1, idempotency: 1 })
    const after = await call(url, kofi, { path: SINGLE, body: single(), key: 'same' })
    expect(after.text).toBe(before.text)
    expect(after.headers.get('idempotent-replayed')).toBe('true')
    await expectEvenBooks(world)
  })

  it('keeps the books even while messages are on their way, at every moment', async () => {
    const world = await open(engine)
    const { url, demo, sandbox, ours, gateway } = world
    const sends = Array.from({ length: 60 }, (_, index) =>
      call(url, demo, { path: SINGLE, body: single(numbers(60)[index]) }),
    )
    await Promise.race(sends)
    const done = sandbox.startOver.run(ours)
    let isDone = false
    void done.then(() => {
      isDone = true
    })
    while (!isDone) {
      await expectEvenBooks(world)
      await new Promise((resolve) => setTimeout(resolve, 1))
    }
    await Promise.all(sends)
    await eventually('all that is left is final', async () => {
      const [row] = await gateway.database.read(({ run }) =>
        run<{ n: number }>("SELECT count(*) AS n FROM messages WHERE status = 'pending'", []),
      )
      return row?.n === 0
    })
    await expectEvenBooks(world)
  })

  it('leaves no callback of a message that became final meanwhile', async () => {
    const world = await open(engine)
    const { url, demo, ours, gateway, sandbox } = world
    const { database } = gateway
    const posted = { ...single('233241200006'), CallbackUrl: 'https://shop.example/' }
    await call(url, demo, { path: SINGLE, body: posted })
    await eventually('a callback waits', async () => (await traces(world)).callback_attempts === 1)
    const late = await database.read(async ({ db, t }) => ({
      callbacks: await db.select().from(t.callbacks),
      jobs: await db.select().from(t.outbox),
    }))
    let came = false
    /** Once the callbacks are deleted, there is another one. */
    async function write<T>(work: (tx: Tx) => Promise<T>, options?: WriteOptions): Promise<T> {
      const done = await database.write(work, options)
      const { messages, callbacks } = await traces(world)
      if (came || callbacks !== 0 || messages === 0) return done
      came = true
      await database.write(async (tx) => {
        await insertRows(tx, tx.t.callbacks, late.callbacks)
        await insertRows(tx, tx.t.outbox, late.jobs)
      })
      return done
    }
    const slow = { ...database, write }
    const startOver = new StartOver({
      database: slow,
      clock: gateway.clock,
      audit: async () => {},
      forgetSends: (owner) => forgetSends(slow, owner),
      start: sandbox.start,
    })
    await startOver.run(ours)
    expect(came).toBe(true)
    expect(await traces(world)).toEqual(NOTHING)
  })

  it('covers what is held by messages that came meanwhile', async () => {
    const { gateway, walletId, sandbox, ...world } = await open(engine)
    const now = gateway.clock.now()
    const held = micros(120_000_000)
    await gateway.database.write(async (tx) => {
      // After the first credit it was emptied, so that the oldest entries cover nothing.
      const spent = await emptyWallet(tx, walletId, now)
      const amount = micros(12_000_000)
      const credits = Array.from({ length: COUNT }, (_, index) => ({
        walletId,
        seq: index + 3,
        kind: 'credit' as const,
        amount,
        messageId: null,
        createdAt: now,
        balanceBefore: micros(index * amount),
        balanceAfter: micros((index + 1) * amount),
      }))
      expect(spent).toBe(sandbox.start)
      await insertRows(tx, tx.t.ledger, credits)
      const after = [COUNT * amount, COUNT + 2, walletId]
      await tx.run('UPDATE wallets SET posted = $1, entries = $2 WHERE id = $3', after)
      await tx.run('UPDATE wallets SET held = $1 WHERE id = $2', [held, walletId])
    })
    const slice = () =>
      gateway.database.write((tx) => forgetEntries(tx, walletId, { start: sandbox.start, now, slice: SLICE }))
    const standing = async () => {
      const broken = await gateway.database.read((tx) => brokenEntries(tx, 10))
      const [uneven] = await gateway.database.read((tx) => unevenWallets(tx, 10))
      return { broken, posted: uneven?.posted, entered: uneven?.entered, held: uneven?.held }
    }
    expect(await slice()).toBe(true)
    // Without a credit the hold would exceed what the entries that are left add up to.
    expect(await standing()).toEqual({ broken: [], posted: held, entered: held, held })
    expect(await slice()).toBe(false)
    expect(await standing()).toEqual({ broken: [], posted: held, entered: held, held })
    await gateway.database.write((tx) => tx.run('UPDATE wallets SET held = 0 WHERE id = $1', [walletId]))
    await expectEvenBooks({ ...world, gateway })
  })
})

describe('while an account starts over', () => {
  it('its requests are asked to come back, and a second run does nothing', async () => {
    const { url, demo, sandbox, ours } = await open('an SQLite file')
    const first = sandbox.startOver.run(ours)
    const refused = await call(url, demo, { path: SINGLE, body: single() })
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1'])
    expect(await sandbox.startOver.run(ours)).toBe(false)
    expect(await first).toBe(true)
    expect((await call(url, demo, { path: SINGLE, body: single() })).status).toBe(200)
  })
})
