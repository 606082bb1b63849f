import type pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { markHandedOver, rescheduleMessages, step } from '../../../src/delivery/submit/decisions.ts'
import { bornClaimed, type Job, removeHeld, renew } from '../../../src/flow/jobs/outbox.ts'
import {
  CommitUncertain,
  type Database,
  RowLocked,
  StoreUnavailable,
  type Tx,
  type WriteOptions,
} from '../../../src/store/database.ts'
import { openDatabase, openToRead } from '../../../src/store/open.ts'
import { migrate } from '../../../src/store/schema/migrate.ts'
import { readSetting, writeSetting } from '../../../src/store/settings.ts'
import { makePlace, open, type Place } from '../../support/engine.ts'
import { eventually } from '../../support/eventually.ts'
import { handPulse } from '../../support/hand-pulse.ts'
import { unclaimed } from '../../support/jobs.ts'
import { connectTo } from '../../support/postgres.ts'
import { turns } from '../../support/turns.ts'
import { openWire, type Wire } from '../../support/wire.ts'

let place: Place
let wire: Wire
let database: Database
let other: pg.Client

beforeAll(async () => {
  place = await makePlace('PostgreSQL')
  wire = await openWire(place.url)
  database = open(wire.url)
  other = await connectTo(place.url)
  await migrate(database)
})
afterEach(async () => {
  await other.query('ROLLBACK')
  await other.query('DELETE FROM settings')
})
afterAll(async () => {
  await database.close()
  await other.end()
  await wire.close()
  await place.remove()
})

const set = (value: string) => setIn(database, value)
const setIn = (database: Database, value: string) => database.write((tx) => writeSetting(tx, 'demo', value))
const get = () => database.read((tx) => readSetting(tx, 'demo'))

/** How many sessions of this database are so just now. */
async function activity(are: string, values: unknown[] = []): Promise<number> {
  // Within a transaction, what is there is looked at once.
  await other.query('SELECT pg_stat_clear_snapshot()')
  const { rows } = await other.query(
    `SELECT count(*)::INT AS n FROM pg_stat_activity WHERE datname = current_database() AND ${are}`,
    values,
  )
  return rows[0].n
}

describe('PostgreSQL', () => {
  it('is unavailable to reads and writes while nobody answers, and is back when it is back', async () => {
    await set('before')
    await wire.cut()
    await expect(set('lost')).rejects.toThrow(StoreUnavailable)
    await expect(get()).rejects.toThrow(StoreUnavailable)
    await wire.mend()
    expect(await get()).toBe('before')
    await set('after')
    expect(await get()).toBe('after')
  })

  it('is unavailable when the connection breaks in the middle of a write, of which nothing stays', async () => {
    const writing = database.write(async (tx) => {
      await writeSetting(tx, 'demo', 'half')
      await wire.cut()
      await writeSetting(tx, 'rates_version', 'other half')
    })
    await expect(writing).rejects.toThrow(StoreUnavailable)
    await wire.mend()
    expect(await get()).toBeUndefined()
  })

  it('changes nothing through a connection that was opened to read', async () => {
    await set('before')
    const reader = openToRead({ url: place.url, postgresConnections: 1, onIdleError: () => {} })
    expect(await reader.read((tx) => readSetting(tx, 'demo'))).toBe('before')
    const changing = reader.read((tx) => writeSetting(tx, 'demo', 'after'))
    await expect(changing).rejects.toMatchObject({ cause: { code: '25006' } })
    await reader.close()
    expect(await get()).toBe('before')
  })

  it('is unavailable when the connection breaks in the middle of a read', async () => {
    const reading = database.read(async ({ run }) => {
      const waiting = run('SELECT pg_sleep(5)', [])
      await Promise.all([waiting, wire.cut()])
    })
    await expect(reading).rejects.toThrow(StoreUnavailable)
    await wire.mend()
    expect(await get()).toBeUndefined()
  })

  it.each([
    ['before', 'old'],
    ['after', 'new-after'],
  ] as const)('says that nobody knows when the connection breaks %s a commit arrives', async (when, kept) => {
    await set('old')
    wire.breakCommit(`new-${when}`, when)
    await expect(set(`new-${when}`)).rejects.toThrow(CommitUncertain)
    expect(await get()).toBe(kept)
  })

  describe('that vanishes without closing a connection', () => {
    const ANSWER_WITHIN_MS = 400
    const AN_HOUR = 3_600_000
    /** By a wire of its own, on which nothing else vanishes. */
    const hasty = async (answerWithinMs = ANSWER_WITHIN_MS, silentAfterMs = AN_HOUR) => {
      const wire = await openWire(place.url)
      const { pulse, ...time } = handPulse()
      const database = openDatabase({
        url: wire.url,
        postgresConnections: 6,
        answerWithinMs,
        silentAfterMs,
        pulse,
        onFatal: () => {},
        onIdleError: () => {},
      })
      database.refuseWhileSilent?.()
      onTestFinished(async () => {
        // Ends what would wait for an answer for ever.
        await wire.close()
        await database.close()
      })
      return { wire, database, ...time }
    }
    /** The server keeps the locks of what vanished, until it ends the sessions that stopped. */
    const endSessions = () =>
      other.query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in%'",
      )

    it('refuses what comes from the moment it is known, long before it is given up, and is back by itself', async () => {
      const { wire, database, pass, passUntil, passUntilSo } = await hasty(60_000, 800)
      await database.write((tx) => writeSetting(tx, 'demo', 'before'))
      wire.silence()
      const ends: string[] = []
      const writing = database.write((tx) => writeSetting(tx, 'demo', 'perhaps'))
      writing.catch(() => ends.push('given up'))
      const reading = database.read((tx) => readSetting(tx, 'demo'))
      await passUntil(reading)
      await expect(reading).rejects.toThrow('does not answer')
      expect(database.isSilent?.()).toBe(true)
      await expect(setIn(database, 'refused')).rejects.toThrow('does not answer')
      expect(ends).toEqual([])
      wire.speak()
      await passUntilSo(() => !database.isSilent?.())
      await setIn(database, 'after')
      // The first read still waits, so reads may be refused until PostgreSQL was asked once more.
      await eventually('it is read', async () => {
        pass(50)
        const read = database.read((tx) => readSetting(tx, 'demo'))
        return (await read.catch(() => undefined)) === 'after'
      })
      // Ends what waits, as its end would.
      await wire.cut()
      await expect(writing).rejects.toThrow()
    })

    it('is unavailable to reads and writes, and is back when new connections reach it', async () => {
      const { wire, database, passUntil } = await hasty()
      await database.write((tx) => writeSetting(tx, 'demo', 'before'))
      await database.read((tx) => readSetting(tx, 'demo'))
      wire.vanish()
      const ends = Promise.all([
        expect(database.write((tx) => writeSetting(tx, 'demo', 'lost'))).rejects.toThrow(StoreUnavailable),
        expect(database.read((tx) => readSetting(tx, 'demo'))).rejects.toThrow(StoreUnavailable),
      ])
      await passUntil(ends)
      await ends
      expect(await database.read((tx) => readSetting(tx, 'demo'))).toBe('before')
      await database.write((tx) => writeSetting(tx, 'demo', 'after'))
      expect(await database.read((tx) => readSetting(tx, 'demo'))).toBe('after')
    })

    it('is found out once, not by each connection that was idle meanwhile', async () => {
      const { wire, database, passUntil } = await hasty()
      await database.write((tx) => writeSetting(tx, 'demo', 'before'))
      await database.read((tx) => readSetting(tx, 'demo'))
      wire.vanish()
      const lost = database.write((tx) => writeSetting(tx, 'demo', 'lost'))
      await passUntil(lost)
      await expect(lost).rejects.toThrow(StoreUnavailable)
      expect(await database.read((tx) => readSetting(tx, 'demo'))).toBe('before')
    })

    it('in the middle of a write is unavailable, and waits no second time for an answer', async () => {
      const { wire, database, passUntilSo } = await hasty()
      const ends: string[] = []
      const vanished = Promise.withResolvers<void>()
      const writing = database.write(async (tx) => {
        await writeSetting(tx, 'demo', 'half')
        wire.vanish()
        vanished.resolve()
        await writeSetting(tx, 'rates_version', 'other half').finally(() => ends.push('the statement'))
      })
      writing.catch(() => ends.push('the write'))
      await vanished.promise
      await passUntilSo(() => ends.length > 0)
      await turns()
      expect(ends).toEqual(['the statement', 'the write'])
      await expect(writing).rejects.toThrow(StoreUnavailable)
      await endSessions()
      expect(await database.read((tx) => readSetting(tx, 'demo'))).toBeUndefined()
    })

    it('leaves unknown whether a commit got through', async () => {
      const { wire, database, passUntil } = await hasty()
      const vanished = Promise.withResolvers<void>()
      const committing = database.write(async (tx) => {
        await writeSetting(tx, 'demo', 'perhaps')
        wire.vanish()
        vanished.resolve()
      })
      await vanished.promise
      await passUntil(committing)
      await expect(committing).rejects.toThrow(CommitUncertain)
      await endSessions()
      await database.write((tx) => writeSetting(tx, 'demo', 'before'), { single: true })
      wire.vanish()
      const single = database.write((tx) => writeSetting(tx, 'demo', 'perhaps'), { single: true })
      await passUntil(single)
      await expect(single).rejects.toThrow(CommitUncertain)
    })

    it('is not one that answers again and again, however long that takes, and is not missed where nothing waits', async () => {
      const { database, pass } = await hasty()
      const nap = ({ run }: Tx) => {
        const answer = run<{ pid: number }>('SELECT pg_backend_pid() AS pid', [])
        pass(ANSWER_WITHIN_MS / 2)
        return answer
      }
      const pids = new Set<number | undefined>()
      await database.write(async (tx) => {
        for (let times = 0; times < 5; times++) pids.add((await nap(tx))[0]?.pid)
      })
      pass(2 * ANSWER_WITHIN_MS)
      await database.write(async (tx) => pids.add((await nap(tx))[0]?.pid))
      expect(pids.size).toBe(1)
    })

    it('is not one that takes long for long work, in which it goes on to be waited for', async () => {
      const { database, pass } = await hasty()
      const sleep = ({ run }: Tx) => {
        const answer = run('SELECT pg_sleep(0.1)', [])
        pass(2 * ANSWER_WITHIN_MS)
        return answer
      }
      await expect(database.write(sleep)).rejects.toThrow(StoreUnavailable)
      await database.write(sleep, { long: true })
    })
  })

  it('is unavailable when an administrator ends the connection', async () => {
    const writing = database.write(async (tx) => {
      await writeSetting(tx, 'demo', 'half')
      const [self] = await tx.run<{ pid: number }>('SELECT pg_backend_pid() AS pid', [])
      await other.query('SELECT pg_terminate_backend($1)', [self?.pid])
      await writeSetting(tx, 'rates_version', 'other half')
    })
    await expect(writing).rejects.toThrow(StoreUnavailable)
    expect(await get()).toBeUndefined()
  })

  it('says so when a row stays locked, and changes nothing', async () => {
    await set('before')
    await other.query('BEGIN')
    await other.query('SELECT * FROM settings FOR UPDATE')
    const waiting = database.write(async (tx) => {
      await tx.run("SET LOCAL lock_timeout = '50ms'", [])
      await writeSetting(tx, 'demo', 'after')
    })
    await expect(waiting).rejects.toThrow(RowLocked)
    expect(await get()).toBe('before')
  })

  it('waits for a locked row no longer than five seconds, and in a single statement for a moment', async () => {
    const wait = ({ run }: Tx) => run<{ lock_timeout: string }>('SHOW lock_timeout', [])
    expect(await database.write(wait)).toEqual([{ lock_timeout: '5s' }])
    expect(await database.write(wait, { single: true })).toEqual([{ lock_timeout: '200ms' }])
    expect(await database.write(wait, { single: true, lockWaitMs: 3_000 })).toEqual([{ lock_timeout: '3s' }])
  })

  it('waits for a locked row no longer than a write says, and in the next write as long as ever', async () => {
    const wait = (options?: WriteOptions) =>
      database.write(({ run }) => run<{ lock_timeout: string }>('SHOW lock_timeout', []), options)
    await other.query("INSERT INTO settings VALUES ('demo', 'before')")
    await other.query('BEGIN')
    await other.query('SELECT * FROM settings FOR UPDATE')
    const work = (tx: Tx) => writeSetting(tx, 'demo', 'after')
    await expect(database.write(work, { lockWaitMs: 20 })).rejects.toThrow(RowLocked)
    expect(await wait({ lockWaitMs: 20 })).toEqual([{ lock_timeout: '20ms' }])
    expect(await wait()).toEqual([{ lock_timeout: '5s' }])
  })

  it('ends sessions of ours that stop in the middle of a transaction, and their locks', async () => {
    const [row] = await database.read(({ run }) =>
      run<Record<string, string>>('SHOW idle_in_transaction_session_timeout', []),
    )
    expect(row).toEqual({ idle_in_transaction_session_timeout: '10s' })
    const hung = database.write(async (tx) => {
      const [self] = await tx.run<{ pid: number }>('SELECT pg_backend_pid() AS pid', [])
      await tx.run('SET LOCAL idle_in_transaction_session_timeout = 50', [])
      await writeSetting(tx, 'demo', 'half')
      await eventually('the session is gone', async () => (await activity('pid = $1', [self?.pid])) === 0)
      await writeSetting(tx, 'rates_version', 'other half')
    })
    await expect(hung).rejects.toThrow(StoreUnavailable)
    expect(await get()).toBeUndefined()
  })

  it.each([
    ['give up', removeHeld],
    ['hand over', markHandedOver],
    ['renew', (tx: Tx, jobs: readonly Job[]) => renew(tx, jobs, 1)],
    [
      'move',
      (tx: Tx, jobs: readonly Job[]) =>
        rescheduleMessages(
          tx,
          jobs.map((job) => step(job, { kind: 'await', runAt: 1, ofHandOver: 1 })),
        ),
    ],
  ])(
    'finds the jobs to %s by their key, also by a plan that is made while there are none',
    async (_, change) => {
      const jobs = Array.from({ length: 64 }, (_, n) => bornClaimed(unclaimed(`job-${n}`)))
      const plan: string[] = []
      await other.query('ANALYZE outbox')
      await database.write(async (tx) => {
        const explain: Tx['run'] = async (text, values) => {
          const lines = await tx.run<Record<string, string>>(`EXPLAIN ${text}`, values)
          plan.push(...lines.flatMap((line) => Object.values(line)))
          return []
        }
        await change({ ...tx, run: explain }, jobs)
      })
      const scans = plan.filter((line) => / Scan .*outbox/.test(line))
      expect(scans, plan.join('\n')).toEqual([
        expect.stringMatching(/-> {2}Index Scan using outbox_pkey on outbox /),
      ])
    },
  )

  it('compiles no statement', async () => {
    expect(await database.write(({ run }) => run('SHOW jit', []))).toEqual([{ jit: 'off' }])
  })

  it('has a connection for reads while writes hold all of theirs', async () => {
    await set('before')
    await other.query('BEGIN')
    await other.query('SELECT * FROM settings FOR UPDATE')
    let done = 0
    const writes = Array.from({ length: 12 }, () => set('after').finally(() => done++))
    await eventually('all that may write wait', () =>
      database.pools?.().some(({ most, waiting }) => waiting === writes.length - most),
    )
    expect(await get()).toBe('before')
    expect(done).toBe(0)
    await other.query('ROLLBACK')
    await Promise.all(writes)
  })

  it('does a write again that lost a deadlock, from its start', async () => {
    await other.query("INSERT INTO settings VALUES ('demo', '0'), ('rates_version', '0')")
    const beside = await connectTo(place.url)
    onTestFinished(() => beside.end())
    await beside.query('BEGIN')
    // The session that looks for a deadlock gives way. This one never looks.
    await beside.query("SET LOCAL deadlock_timeout = '1min'")
    await beside.query("UPDATE settings SET value = '1' WHERE name = 'rates_version'")
    let tries = 0
    const writing = database.write(async (tx) => {
      tries++
      if (tries > 1) await beside.query('COMMIT')
      await tx.run('SET LOCAL deadlock_timeout = 10', [])
      await writeSetting(tx, 'demo', `try ${tries}`)
      if (tries === 1) {
        void beside.query("UPDATE settings SET value = '2' WHERE name = 'demo'")
        await eventually('it waits for us', async () => (await activity("wait_event_type = 'Lock'")) > 0)
      }
      await writeSetting(tx, 'rates_version', `try ${tries}`)
    })
    await writing
    expect(tries).toBe(2)
    expect(await get()).toBe('try 2')
  })
})
