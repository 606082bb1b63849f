import { micros } from '@wigwag/contract'
import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import type { DepartCallbacks } from '../../src/callbacks/departures.ts'
import { type DueCallback, dueCallbacks } from '../../src/callbacks/rows.ts'
import { Finish } from '../../src/delivery/finish/finish.ts'
import { lastClaimsOf } from '../../src/flow/jobs/outbox.ts'
import { epochMs, type Ticket, TicketMaker } from '../../src/kernel/ids.ts'
import { FINAL_STATUSES } from '../../src/kernel/message.ts'
import type { Ending } from '../../src/messages/index.ts'
import { markDue, type NewMessage } from '../../src/messages/messages.ts'
import { acceptAtOnce } from '../../src/messages/sending/accept-at-once.postgres.ts'
import { storeReplies } from '../../src/messages/sending/idempotency.ts'
import { unevenWallets } from '../../src/money/ledger-check.ts'
import type { Database } from '../../src/store/database.ts'
import { accepted, acceptInto, some, TIMES, timesWith } from '../support/accepted.ts'
import { type Store, useStore } from '../support/engine.ts'
import { eventually } from '../support/eventually.ts'
import { makeWallets, NOW } from '../support/rows-of.ts'

const WAITING_FOR_A_LOCK =
  "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
const LATER = epochMs(NOW + 5_000)
const HOUR_ON = epochMs(NOW + 3_600_000)
const RUNS = 40
const LEASE = 30_000
const BORN = timesWith(LEASE)
const idsFrom = (seed: number) => new TicketMaker((size) => new Uint8Array(size).fill(seed)).make

const tables = {
  messages: 'id',
  outbox: 'id',
  ledger: 'wallet_id, seq',
  hourly_totals: 'wallet_id, hour, country, network',
  callbacks: 'id',
  late_receipts: 'id',
  idempotency: 'scope',
  wallets: 'id',
}

/** Every row of every table that a message touches. */
async function contents(database: Database): Promise<Record<string, unknown[]>> {
  const found: Record<string, unknown[]> = {}
  for (const [table, order] of Object.entries(tables))
    found[table] = await database.read(({ run }) => run(`SELECT * FROM ${table} ORDER BY ${order}`, []))
  return found
}

const lite = useStore('SQLite in memory')
const postgres = useStore('PostgreSQL')
const both = (work: (store: Store) => Promise<unknown>) => Promise.all([lite, postgres].map(work))

/** Two wallets with money, and nothing else. */
async function emptied({ database }: Store): Promise<void> {
  await database.write(async ({ run }) => {
    for (const table of Object.keys(tables))
      if (table !== 'wallets' && table !== 'ledger') await run(`DELETE FROM ${table}`, [])
    await run("DELETE FROM ledger WHERE kind = 'post'", [])
    await run('UPDATE wallets SET posted = 1000000000, held = 0, entries = 1', [])
  })
}

async function expectSame(): Promise<void> {
  const [one, other] = [await contents(lite.database), await contents(postgres.database)]
  expect(other).toEqual(one)
  expect(await postgres.database.read((tx) => unevenWallets(tx, 9))).toEqual([])
}

beforeEach(() => both(({ database }) => makeWallets(database, { v: 1e9, w: 1e9 })))

describe('sends that PostgreSQL accepts in one statement', () => {
  const atOnce = (
    messages: readonly NewMessage[],
    replies: Parameters<typeof storeReplies>[1] = [],
    times = TIMES,
  ) => acceptAtOnce(postgres.database, { messages, replies, now: NOW, times }, {})

  it('are stored as SQLite stores them step by step', async () => {
    const odd = { content: `"'\\\n\u2028 €😀`, reference: '{"a":[1]}', callbackUrl: 'https://a.example/?b="' }
    const messages = [
      ...some(100),
      ...some(3, 'v'),
      accepted('v', { ...odd, network: null, country: '001', encoding: 'UCS-2', segments: 3 }),
      accepted('w', { status: 'scheduled', sendAt: LATER, createdAt: HOUR_ON, effectedAt: HOUR_ON }),
    ].map((message) => ({ ...message, balanceBefore: micros(1e9), balanceAfter: micros(1e9) }))
    const replies = ['b', 'a'].map((scope) => ({ scope, fingerprint: 'f', response: '{"é":"\\u0001"}' }))
    await lite.database.write((tx) => storeReplies(tx, replies, NOW))
    await acceptInto(lite.database, messages)
    expect(await atOnce(messages, replies)).toBe(true)
    await expectSame()
  })

  it('are claimed by whoever stores them, but for those that wait for their time', async () => {
    const now = accepted('w')
    const later = accepted('w', { status: 'scheduled', sendAt: LATER })
    expect(await atOnce([now, later], [], BORN)).toBe(true)
    const jobs = (await contents(postgres.database)).outbox
    const claimed = { kind: 'dispatch', lease_until: NOW + LEASE, epoch: 1 }
    expect(jobs).toMatchObject([
      { id: now.id, ...claimed },
      { id: later.id, kind: 'scheduled', lease_until: 0, epoch: 0 },
    ])
  })

  it.each([
    ['a wallet cannot cover its part', [...some(2), accepted('v', { price: micros(1e9 + 1) })], []],
    ['a key was used before', some(3), [{ scope: 'used', fingerprint: 'f', response: 'r' }]],
  ])('leave nothing behind when %s', async (_, messages, replies) => {
    const used = [{ scope: 'used', fingerprint: 'other', response: 'first' }]
    await postgres.database.write((tx) => storeReplies(tx, used, NOW))
    const before = await contents(postgres.database)
    const fresh = [...replies, { scope: 'fresh', fingerprint: 'f', response: 'r' }]
    expect(await atOnce(messages, fresh)).toBe(false)
    expect(await contents(postgres.database)).toEqual(before)
  })

  it('of many wallets, in any order and at the same time, hold what each costs', async () => {
    const batches = Array.from({ length: 40 }, (_, index) =>
      index % 2 === 0 ? [...some(3, 'v'), ...some(2, 'w')] : [...some(2, 'w'), ...some(3, 'v')],
    )
    const handles = [postgres.database, postgres.another()]
    const results = await Promise.all(
      batches.map((messages, index) =>
        acceptAtOnce(
          handles[index % 2] ?? postgres.database,
          { messages, replies: [], now: NOW, times: TIMES },
          // Less than PostgreSQL takes to find out that two transactions wait for each other.
          { lockWaitMs: 900 },
        ),
      ),
    )
    expect(new Set(results)).toEqual(new Set([true]))
    const { wallets, messages } = await contents(postgres.database)
    expect(messages).toHaveLength(200)
    expect(wallets).toMatchObject([{ held: 40 * 3 * 10 }, { held: 40 * 2 * 10 }])
  })
})

describe('endings', () => {
  const what = fc.record({
    /** Which message; the last is known to nobody. */
    of: fc.nat(8),
    status: fc.constantFrom(...FINAL_STATUSES),
    /** From whom: a receipt, the holder of the job, or one who has lost it, with or without an answer to its hand-over. */
    from: fc.constantFrom('receipt', 'holder', 'loser', 'answered loser'),
    reason: fc.option(fc.constant('because'), { nil: undefined }),
    submittedAt: fc.constantFrom(0, NOW + 7),
  })
  type What = typeof what extends fc.Arbitrary<infer Each> ? Each : never
  const message = fc.record({
    walletId: fc.constantFrom('v', 'w'),
    price: fc.integer({ min: 0, max: 500 }).map(micros),
    network: fc.constantFrom('MTN', null),
    callbackUrl: fc.constantFrom(null, 'https://receiver.example/'),
    scheduled: fc.boolean(),
    submitted: fc.boolean(),
  })

  /** Places for every second callback, and what began with all of them. */
  function everySecond() {
    const begun: DueCallback[] = []
    const depart: DepartCallbacks = (callbacks) => ({
      leaseMs: (callback) => (callbacks.indexOf(callback) % 2 === 0 ? LEASE : undefined),
      begin: (stored) => void begun.push(...stored),
      giveBack() {},
    })
    return { depart, begun }
  }

  it('leave the same books on both engines, and are told of as they are stored, whatever ends', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(message, { minLength: 8, maxLength: 8 }),
        fc.array(fc.array(what, { maxLength: 12 }), { maxLength: 4 }),
        async (shapes, batches) => {
          const ids = idsFrom(1)
          const newIds = new Map([lite, postgres].map((store) => [store, idsFrom(2)]))
          await both(emptied)
          const messages = shapes.map(({ scheduled, submitted: _, ...shape }) =>
            accepted(shape.walletId, {
              ...shape,
              id: ids(NOW),
              ...(scheduled ? { status: 'scheduled' as const, sendAt: LATER } : {}),
            }),
          )
          const submitted = messages.filter((_, index) => shapes[index]?.submitted)
          await both(async ({ database }) => {
            await acceptInto(database, messages)
            for (const { id } of submitted)
              await database.write(({ run }) =>
                run("UPDATE outbox SET carrier_ref = 'known', submitted_at = $1, epoch = 3 WHERE id = $2", [
                  NOW,
                  id,
                ]),
              )
          })
          for (const batch of batches) {
            await both(async (store) => {
              const { database } = store
              const newId = newIds.get(store) ?? ids
              const endings = await Promise.all(batch.map((each) => endingOf(database, messages, each)))
              const { depart, begun } = everySecond()
              await new Finish(database, depart).all(endings, { now: LATER, newId })
              const stored = await database.read((tx) =>
                dueCallbacks(
                  tx,
                  begun.map(({ id }) => id),
                ),
              )
              expect(begun).toEqual(begun.map(({ id }) => stored.get(id)))
            })
            await expectSame()
          }
        },
      ),
      { numRuns: RUNS },
    )
  })

  it('that cannot be stored give the places of their callbacks back', async () => {
    const message = accepted('w', { callbackUrl: 'https://receiver.example/' })
    await both(async ({ database }) => {
      await acceptInto(database, [message])
      const unwritable: Database = {
        ...database,
        write: (work, options) =>
          database.write(async (tx) => {
            await work(tx)
            throw new Error('on purpose')
          }, options),
      }
      const outcome: string[] = []
      const depart: DepartCallbacks = () => ({
        leaseMs: () => LEASE,
        begin: () => void outcome.push('begun'),
        giveBack: () => void outcome.push('given back'),
      })
      const receipt = { ticket: message.id, status: 'success' as const, carrierRef: '', submittedAt: 0 }
      const finishing = new Finish(unwritable, depart).all([receipt], { now: LATER, newId: idsFrom(3) })
      await expect(finishing).rejects.toThrow()
      expect(outcome).toEqual(['given back'])
    })
  })

  it('of a message whose time comes while it is cancelled on PostgreSQL: the first counts alone', async () => {
    const message = accepted('w', { status: 'scheduled', sendAt: LATER })
    await acceptInto(postgres.database, [message])
    const released = Promise.withResolvers<void>()
    const cancelling = Promise.withResolvers<void>()
    const releasing = postgres.another().write(async (tx) => {
      await tx.run("UPDATE outbox SET kind = 'dispatch' WHERE id = $1", [message.id])
      released.resolve()
      await cancelling.promise
      await markDue(tx, [message.id], LATER)
    })
    await released.promise
    const cancelled = { ticket: message.id, status: 'cancelled' as const, carrierRef: '', submittedAt: 0 }
    const cancellation = new Finish(postgres.database).all([cancelled], {
      now: LATER,
      newId: idsFrom(3),
      lockWaitMs: 30_000,
    })
    await eventually('it waits for the row', async () => {
      const waiting = await postgres.database.read(({ run }) => run(WAITING_FOR_A_LOCK, []))
      return waiting.length > 0
    })
    cancelling.resolve()
    await releasing
    expect(await cancellation).toMatchObject({ settled: [] })
    const { messages, outbox, late_receipts } = await contents(postgres.database)
    expect({ messages, outbox, late_receipts }).toMatchObject({
      messages: [{ status: 'pending' }],
      outbox: [{ kind: 'dispatch' }],
      late_receipts: [],
    })
  })

  async function endingOf(database: Database, messages: readonly NewMessage[], each: What): Promise<Ending> {
    const ticket = messages[each.of]?.id ?? ('nobody' as Ticket)
    const claims = await database.read((tx) => lastClaimsOf(tx, [ticket]))
    const { epoch, handedAt } = claims.get(ticket) ?? { epoch: 0, handedAt: 0 }
    const by = {
      receipt: {},
      holder: { epoch },
      loser: { epoch: epoch - 1, ofHandOver: handedAt - 1 },
      'answered loser': { epoch: epoch - 1, ofHandOver: handedAt },
    }
    return {
      ticket,
      status: each.status,
      carrierRef: `ref-${each.of}`,
      submittedAt: each.submittedAt,
      ...(each.reason === undefined ? {} : { reason: each.reason }),
      ...by[each.from],
    }
  }
})
