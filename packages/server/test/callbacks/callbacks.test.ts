import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { CallbackPoster } from '../../src/callbacks/deliver.ts'
import { CallbackLog } from '../../src/callbacks/log.ts'
import {
  callbackJob,
  forgetCallbacksAbout,
  insertAttempts,
  insertCallbacks,
  lockCallbacks,
} from '../../src/callbacks/rows.ts'
import { signingKey } from '../../src/callbacks/signing.ts'
import { enqueue, type Job } from '../../src/flow/jobs/outbox.ts'
import { epochMs, type Ticket, TicketMaker } from '../../src/kernel/ids.ts'
import { insertMessages } from '../../src/messages/messages.ts'
import type { OutboundRequest, OutboundResult } from '../../src/net/outbound/port.ts'
import type { Database, Tx } from '../../src/store/database.ts'
import { migrate } from '../../src/store/schema/migrate.ts'
import { createMovedClock } from '../../src/testing/clock.ts'
import { accepted } from '../support/accepted.ts'
import { makePlace, open, type Place } from '../support/engine.ts'
import { eventually } from '../support/eventually.ts'
import { claim, laneOf } from '../support/jobs.ts'
import { NOW } from '../support/rows-of.ts'
import { turns } from '../support/turns.ts'

const LEASE = 60_000
const clock = createMovedClock(NOW)
/** The message that all callbacks tell of. */
const TOLD = 'm' as Ticket

describe.each(['SQLite in memory', 'PostgreSQL'] as const)('callbacks on %s', (engine) => {
  let place: Place
  let database: Database
  beforeAll(async () => {
    place = await makePlace(engine)
    database = open(place.url)
    await migrate(database)
    await database.write((tx) => insertMessages(tx, [accepted('w', { id: TOLD })]))
  })
  afterAll(async () => {
    await database.close()
    await place.remove()
  })
  beforeEach(() =>
    database.write(async ({ run }) => {
      for (const table of ['outbox', 'callbacks', 'callback_attempts']) await run(`DELETE FROM ${table}`, [])
    }),
  )

  async function put(ids: readonly string[], host?: string, accountId = 'a'): Promise<void> {
    await database.write(async (tx) => {
      const rows = ids.map((id) => {
        const common = { accountId, walletId: 'w', messageId: TOLD }
        return {
          ...common,
          id,
          url: `https://${host ?? `${id}.invalid`}/`,
          state: 'pending' as const,
          createdAt: NOW,
        }
      })
      await insertCallbacks(tx, rows)
      await enqueue(
        tx,
        ids.map((id) => callbackJob({ id, accountId }, NOW)),
      )
    })
  }
  const take = (now = NOW): Promise<Job[]> =>
    claim(database, laneOf('callback'), { now, leaseMs: LEASE, limit: 100 })

  function deliverWith(
    outbound: (request: OutboundRequest) => Promise<OutboundResult>,
    more: Partial<ConstructorParameters<typeof CallbackPoster>[1]> = {},
    on: Database = database,
  ) {
    const poster = new CallbackPoster(
      { database: on, clock },
      {
        outbound,
        random: () => 0.5,
        keysOf: async () => [signingKey('whsec_c2VjcmV0')],
        timeoutMs: 15_000,
        loaded: new Map(),
        gatherMs: 0,
        share: { answered() {} },
        onAttempt() {},
        onRecorded() {},
        ...more,
      },
    )
    return (jobs: readonly Job[], done: (job: Job) => void) => poster.deliver(jobs, done)
  }
  const answer = (status: number): OutboundResult => ({
    kind: 'reply',
    status,
    headers: {},
    body: Buffer.from('an\0swer'),
    truncated: false,
    latencyMs: 3,
  })
  const log = (on: Database = database) =>
    new CallbackLog(
      { database: on, clock, newId: new TicketMaker((size) => new Uint8Array(size)).make },
      () => {},
    )
  const principal = {
    accountId: 'a',
    clientId: 'c',
    wallet: { id: 'w', currency: 'GHS' },
    senders: new Map(),
  }
  const ticketAt = new TicketMaker((size) => new Uint8Array(size).fill(3)).make
  const state = async (id: string) => {
    const [callback] = await database.read(({ run }) =>
      run<{ state: string }>('SELECT state FROM callbacks WHERE id = $1', [id]),
    )
    const [job] = await database.read(({ run }) =>
      run<{ at: number }>('SELECT run_at AS at FROM outbox WHERE id = $1', [id]),
    )
    const tries = await database.read(({ run }) =>
      run<{ seq: number; status: number | null }>(
        'SELECT seq, http_status AS status FROM callback_attempts WHERE callback_id = $1 ORDER BY seq',
        [id],
      ),
    )
    return {
      state: callback?.state,
      next: job && job.at - NOW,
      tries: tries.map(({ seq, status }) => [seq, status]),
    }
  }

  it('are delivered, tried again or given up, each as its own receiver answers', async () => {
    const answers: Record<string, number> = { taken: 204, broken: 500, gone: 410 }
    const ids = Object.keys(answers)
    await put(ids)
    const deliver = deliverWith(async ({ url }) =>
      answer(answers[new URL(url).hostname.split('.')[0] ?? ''] ?? 0),
    )
    await deliver(await take(), () => {})
    expect(await state('taken')).toEqual({ state: 'delivered', next: undefined, tries: [[1, 204]] })
    expect(await state('broken')).toEqual({ state: 'pending', next: 5_000, tries: [[1, 500]] })
    expect(await state('gone')).toEqual({ state: 'dead', next: undefined, tries: [[1, 410]] })
    await deliver(await take(epochMs(NOW + 5_000)), () => {})
    expect(await state('broken')).toMatchObject({
      tries: [
        [1, 500],
        [2, 500],
      ],
    })
  })

  it('tell which receivers answered in time: any answer counts, and any other failure', async () => {
    const failure = (failure: 'timeout' | 'connect_failed'): OutboundResult => ({
      kind: 'failure',
      stage: 'before',
      detail: '',
      latencyMs: 3,
      failure,
    })
    const results: Record<string, OutboundResult> = {
      taken: answer(200),
      broken: answer(500),
      away: failure('connect_failed'),
      silent: failure('timeout'),
    }
    for (const id of Object.keys(results)) await put([id], undefined, `account of ${id}`)
    const told: Record<string, boolean> = {}
    const deliver = deliverWith(
      async ({ url }) => results[new URL(url).hostname.split('.')[0] ?? ''] ?? answer(0),
      {
        share: {
          answered(accountId, inTime) {
            told[accountId] = inTime
          },
        },
      },
    )
    await deliver(await take(), () => {})
    expect(told).toEqual({
      'account of taken': true,
      'account of broken': true,
      'account of away': true,
      'account of silent': false,
    })
  })

  it('that are answered give their capacity back, while one that is not still waits', async () => {
    await put(['silent', 'quick', 'quicker'])
    const { promise: never, resolve: end } = Promise.withResolvers<void>()
    const done: string[] = []
    const deliver = deliverWith(async ({ url }) => {
      if (url.includes('silent')) await never
      return answer(200)
    })
    const delivering = deliver(await take(), ({ id }) => done.push(id))
    await eventually('the quick ones are done', () => done.length === 2)
    expect(done.sort()).toEqual(['quick', 'quicker'])
    expect(await state('quick')).toMatchObject({ state: 'delivered' })
    end()
    await delivering
    expect(done).toContain('silent')
  })

  it.each([
    ['failed', 500],
    ['was taken', 200],
    ['was told that the receiver is gone', 410],
  ])(
    'that are replayed while an attempt is under way are posted again at once, though that one %s',
    async (_, status) => {
      const id = ticketAt(NOW)
      await put([id], 'receiver.invalid')
      const { promise: answered, resolve: giveAnswer } = Promise.withResolvers<void>()
      let posts = 0
      const deliver = deliverWith(async () => {
        posts++
        if (posts === 1) await answered
        return answer(posts === 1 ? status : 204)
      })
      const attempt = deliver(await take(), () => {})
      await eventually('the attempt is under way', () => posts === 1)
      await log().replay(principal, id)
      giveAnswer()
      await attempt
      expect(await state(id)).toEqual({ state: 'pending', next: 0, tries: [[1, status]] })
      const again = await take()
      expect(again).toMatchObject([{ id, attempts: 0 }])
      await deliver(again, () => {})
      expect(await state(id)).toMatchObject({ state: 'delivered', next: undefined })
    },
  )

  it('that are dead are replayed in slices, each once, and others have their turn in between', async () => {
    const ids = Array.from({ length: 1_201 }, () => ticketAt(NOW))
    await put(ids, 'receiver.invalid')
    await database.write(async ({ run }) => {
      await run("UPDATE callbacks SET state = 'dead'", [])
      await run('DELETE FROM outbox', [])
    })
    const order: string[] = []
    let writes = 0
    let another: Promise<unknown> | undefined
    const on: Database = {
      ...database,
      async write(work, options) {
        const result = await database.write(work, options)
        // After the audit, what waits, and the first slice.
        if (++writes === 3)
          another = database
            .write(({ run }) => run('SELECT 1 AS one', []))
            .then(() => order.push('another write'))
        return result
      },
    }
    const { replayed } = await log(on).replayFailed(principal, epochMs(0))
    order.push(`replayed ${replayed}`)
    await another
    expect(order).toEqual(['another write', 'replayed 1201'])
    const [row] = await database.read(({ run }) => run<{ n: number }>('SELECT count(*) AS n FROM outbox', []))
    expect(row?.n).toBe(1_201)
  })

  it('are recorded together, also when another process records an attempt of one at the same time', async () => {
    await put(['a', 'b'])
    const jobs = await take()
    const { promise: committing, resolve: commit } = Promise.withResolvers<void>()
    const { promise: written, resolve: write } = Promise.withResolvers<void>()
    const isLocked = async () => {
      const waiting = `SELECT 1 AS one FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'`
      return (await database.read(({ run }) => run(waiting, []))).length > 0
    }
    const other = database.write(async (tx) => {
      const failed = { httpStatus: 500, errorClass: 'http_status', reply: '' }
      await lockCallbacks(tx, ['a'])
      await insertAttempts(tx, [{ callbackId: 'a', startedAt: NOW, latencyMs: 1, ...failed }])
      write()
      await committing
    })
    await written
    const delivering = deliverWith(async () => answer(200))(jobs, () => {})
    await (engine === 'PostgreSQL' ? eventually('it waits for the other', isLocked) : turns())
    commit()
    await Promise.all([other, delivering])
    const rows = await database.read(({ run }) =>
      run('SELECT callback_id AS id, seq, http_status AS status FROM callback_attempts ORDER BY 1, 2', []),
    )
    expect(rows).toEqual([
      { id: 'a', seq: 1, status: 500 },
      { id: 'a', seq: 2, status: 200 },
      { id: 'b', seq: 1, status: 200 },
    ])
  })

  it('are locked in one order, so that two that lock many never wait for each other', async () => {
    const ids = Array.from({ length: 150 }, (_, index) => `c${String(index).padStart(3, '0')}`)
    await put(ids)
    const asked: unknown[] = []
    await database.write(async (tx) => {
      const run: Tx['run'] = (text, values) => {
        asked.push(...values)
        return tx.run(text, values)
      }
      const locked = await lockCallbacks({ ...tx, run }, ids.toReversed())
      expect(locked.size).toBe(ids.length)
    })
    expect(asked).toEqual(ids)
  })

  it('that are erased while a replay queues them leave no job', async () => {
    const id = ticketAt(NOW)
    await put([id])
    await database.write(({ run }) => run('DELETE FROM outbox', []))
    // Another connection erases it between the look at it and its queueing; on SQLite nothing comes between.
    const other = engine === 'PostgreSQL' ? open(place.url) : undefined
    const erase = (tx: Tx) => forgetCallbacksAbout(tx, [TOLD])
    const raced: Database = {
      ...database,
      write: (work, options) =>
        database.write(async (tx) => {
          let erased = false
          return work({
            ...tx,
            async run(text, values) {
              if (!erased) await (other === undefined ? erase(tx) : other.write(erase))
              erased = true
              return tx.run(text, values)
            },
          })
        }, options),
    }
    await expect(log(raced).replay(principal, id)).rejects.toThrow(`This account has no callback ${id}.`)
    await other?.close()
    expect((await state(id)).next).toBeUndefined()
  })

  it('that are gone have their jobs ended, and no attempt is recorded of one that was under way', async () => {
    await put(['gone', 'under-way', 'there'])
    await database.write(({ run }) => run("DELETE FROM callbacks WHERE id = 'gone'", []))
    const done: string[] = []
    const deliver = deliverWith(async ({ url }) => {
      if (url.includes('under-way'))
        await database.write(async ({ run }) => {
          await run("DELETE FROM callbacks WHERE id = 'under-way'", [])
        })
      return answer(500)
    })
    await deliver(await take(), ({ id }) => done.push(id))
    expect(done.sort()).toEqual(['gone', 'there', 'under-way'])
    const none = { state: undefined, next: undefined, tries: [] }
    expect(await state('gone')).toEqual(none)
    expect(await state('under-way')).toEqual(none)
    expect(await state('there')).toMatchObject({ state: 'pending', next: 5_000, tries: [[1, 500]] })
  })

  it('of which one fails inside are settled all the same, and only that one is not done', async () => {
    await put(['one', 'two', 'three'])
    await put(['broken'], undefined, 'whose secret does not open')
    const { promise: failed, resolve: fail } = Promise.withResolvers<void>()
    const done: string[] = []
    const deliver = deliverWith(
      async () => {
        await failed
        return answer(200)
      },
      {
        async keysOf(accountId) {
          if (accountId === 'a') return [signingKey('whsec_c2VjcmV0')]
          fail()
          throw new Error('no secret opens it')
        },
      },
    )
    await expect(deliver(await take(), ({ id }) => done.push(id))).rejects.toThrow('1 of 4')
    expect(done.sort()).toEqual(['one', 'three', 'two'])
    for (const id of done) expect(await state(id)).toMatchObject({ state: 'delivered', next: undefined })
    expect(await state('broken')).toMatchObject({ state: 'pending', tries: [] })
  })

  it('of which one cannot be recorded are recorded all the same', async () => {
    await put(['one', 'two', 'three', 'odd'])
    const done: string[] = []
    const deliver = deliverWith(async ({ url }) => ({
      ...answer(200),
      latencyMs: url.includes('odd') ? Number.NaN : 3,
    }))
    await expect(deliver(await take(), ({ id }) => done.push(id))).rejects.toThrow('1 of 4')
    expect(done.sort()).toEqual(['one', 'three', 'two'])
    for (const id of done) expect(await state(id)).toMatchObject({ state: 'delivered' })
    expect(await state('odd')).toMatchObject({ state: 'pending', tries: [] })
  })

  it('that fail with a text that no database takes are recorded', async () => {
    await put(['one'])
    const failure = { kind: 'failure', stage: 'before', failure: 'tls_failed', latencyMs: 3 } as const
    await deliverWith(async () => ({ ...failure, detail: 'an\0swer' }))(await take(), () => {})
    expect(await state('one')).toMatchObject({ state: 'pending', tries: [[1, null]] })
  })

  it('of which someone else has claimed one since are not put back to an earlier step', async () => {
    await put(['slow'])
    const before = await take()
    await take(epochMs(NOW + LEASE))
    await deliverWith(async () => answer(500))(before, () => {})
    expect(await state('slow')).toEqual({ state: 'pending', next: 0, tries: [[1, 500]] })
    expect(await take(epochMs(NOW + 2 * LEASE - 1))).toEqual([])
  })
})
