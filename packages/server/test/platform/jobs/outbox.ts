import { describe, expect, it } from 'vitest'
import { markHandedOver, rescheduleMessages, step } from '../../../src/delivery/submit/decisions.ts'
import { firstOfEachOwner } from '../../../src/flow/jobs/claim.ts'
import { bringForward, lanesWithJobs, leaveLane } from '../../../src/flow/jobs/lanes.ts'
import { enqueue, giveBack, type Job, NOBODY, removeJobs, reschedule } from '../../../src/flow/jobs/outbox.ts'
import { JobQueue } from '../../../src/flow/jobs/queue.ts'
import { type EpochMs, epochMs } from '../../../src/kernel/ids.ts'
import type { Database, Tx } from '../../../src/store/database.ts'
import type { JobKind } from '../../../src/store/schema/schema.ts'
import { openExplainer } from '../../history/explain.ts'
import type { Store } from '../../support/engine.ts'
import { claim, laneOf, unclaimed } from '../../support/jobs.ts'
import { NOW } from '../../support/rows-of.ts'

const LEASE = 30_000
const later = (ms: number) => epochMs(NOW + ms)

export function outbox(store: Store): void {
  const put = (ids: readonly string[], runAt: number = NOW, kind: JobKind = 'dispatch') =>
    store.database.write((tx) =>
      enqueue(
        tx,
        ids.map((id) => unclaimed(id, { kind, runAt, expiresAt: 7 })),
      ),
    )
  const take = (limit: number, now = NOW, database: Database = store.database): Promise<Job[]> =>
    claim(database, laneOf('dispatch'), { now, leaseMs: LEASE, limit })
  const takeOne = async (now = NOW): Promise<Job> => {
    const [job] = await take(1, now)
    if (!job) throw new Error('expected a job that is due')
    return job
  }
  const settle = (job: Job, runAt: number) =>
    store.database.write((tx) =>
      reschedule(tx, [{ ...job, kind: 'dispatch', runAt, attempts: job.attempts + 1, lapsed: false }]),
    )

  const dueIn = async (kind: JobKind, lane = '', now: EpochMs = NOW) => {
    const first = await firstOfEachOwner(store.database, laneOf(kind, lane), now)
    return first[0]?.runAt
  }

  describe('a claim', () => {
    it('gives no job to two of eight claimers, and leaves none behind', async () => {
      await put(Array.from({ length: 300 }, (_, index) => `job-${index}`))
      const handles = [store.database, store.another(), store.another(), store.another()]
      const claimed = await Promise.all(
        Array.from({ length: 8 }, async (_, index) => {
          const mine: string[] = []
          for (let idle = 0; idle < 2; ) {
            const jobs = await take(7, NOW, handles[index % handles.length])
            mine.push(...jobs.map(({ id }) => id))
            idle = jobs.length === 0 ? idle + 1 : 0
          }
          return mine
        }),
      )
      const all = claimed.flat()
      expect(all).toHaveLength(300)
      expect(new Set(all).size).toBe(300)
    })

    it('takes what is due and no more than it asked for, the oldest first', async () => {
      for (const age of [3, 1, 2, 4]) await put([`age-${age}`], NOW - age)
      await put(['later'], NOW + 1)
      await put(['other'], NOW - 9, 'callback')
      expect((await take(3)).map(({ id }) => id).sort()).toEqual(['age-2', 'age-3', 'age-4'])
      expect((await take(3)).map(({ id }) => id)).toEqual(['age-1'])
      expect(await take(3)).toEqual([])
    })

    it('takes no more than it asked for when the engine believes the table is empty', async () => {
      await store.database.write(({ run }) => run('ANALYZE', []))
      await put(Array.from({ length: 50 }, (_, index) => `job-${index}`))
      expect(await take(5)).toHaveLength(5)
    })

    it('is told that a job lapsed only when the claim before was never settled', async () => {
      await put(['job'])
      expect(await takeOne()).toMatchObject({ epoch: 1, attempts: 0, lapsed: false })
      expect(await take(1, later(LEASE - 1))).toEqual([])
      const second = await takeOne(later(LEASE))
      expect(second).toMatchObject({ epoch: 2, attempts: 0, lapsed: true, expiresAt: 7 })
      await settle(second, NOW + LEASE)
      expect(await takeOne(later(LEASE))).toMatchObject({ epoch: 3, attempts: 1, lapsed: false })
    })

    it('keeps a job lapsed that was settled as lapsed', async () => {
      await put(['job'])
      const job = await takeOne()
      const step = { ...job, kind: 'dispatch' as const, runAt: NOW, lapsed: true }
      await store.database.write((tx) => reschedule(tx, [step]))
      expect(await takeOne()).toMatchObject({ lapsed: true })
    })
  })

  describe('a claim that begins where the last one ended', () => {
    const openQueue = () => {
      const queue = new JobQueue(store.database)
      const lane = laneOf('dispatch')
      const claimNow = async (now = NOW, limit = 100) => {
        const jobs = await queue.claim(lane, { now, leaseMs: LEASE, limit })
        return jobs.map(({ id }) => id)
      }
      return Object.assign(claimNow, { told: () => queue.notify(lane, [{ owner: NOBODY, runAt: NOW }]) })
    }

    it('finds what is committed later than it is due', async () => {
      const claimNow = openQueue()
      expect(await claimNow()).toEqual([])
      await put(['late'], NOW - 1_000)
      claimNow.told()
      expect(await claimNow()).toEqual(['late'])
    })

    it('finds what was due long before, within seconds', async () => {
      const claimNow = openQueue()
      expect(await claimNow()).toEqual([])
      await put(['old'], NOW - 3_600_000)
      expect(await claimNow(later(5_000))).toEqual(['old'])
    })

    it('finds a job whose holder is gone, also while others wait in front of it', async () => {
      await put(['held'], NOW - 1)
      await takeOne()
      await put(
        Array.from({ length: 100 }, (_, index) => `job-${index}`),
        NOW,
      )
      const claimNow = openQueue()
      const claimed: string[] = []
      for (let ms = 0; ms <= LEASE + 5_000; ms += 1_000) claimed.push(...(await claimNow(later(ms), 1)))
      expect(claimed).toContain('held')
    })

    it('finds what is due after the clock was set back', async () => {
      const claimNow = openQueue()
      await put(['before'], NOW)
      expect(await claimNow(later(3_600_000))).toEqual(['before'])
      await put(['after'], NOW)
      expect(await claimNow(later(1))).toEqual(['after'])
    })
  })

  describe('a settlement', () => {
    it('of an old epoch changes nothing', async () => {
      await put(['job'])
      const old = await takeOne()
      const current = await takeOne(later(LEASE))
      await settle(old, NOW)
      expect(await take(1, later(LEASE))).toEqual([])
      await settle(current, NOW + LEASE)
      expect(await take(1, later(LEASE))).toHaveLength(1)
    })

    it('of an old epoch counts when it is of the last hand-over, and ends the claim since', async () => {
      await put(['job'])
      const old = await takeOne()
      await store.database.write((tx) => markHandedOver(tx, [{ ...old, handedAt: NOW }]))
      const claimAwaiting = (now: EpochMs) =>
        claim(store.database, laneOf('await'), { now, leaseMs: LEASE, limit: 1 })
      const [current] = await claimAwaiting(later(LEASE))
      if (!current) throw new Error('expected a job that was handed over')
      const move = (job: Job, carrierRef: string, answered: { ofHandOver?: number } = {}) =>
        store.database.write((tx) =>
          rescheduleMessages(tx, [step(job, { kind: 'await', runAt: NOW, carrierRef, ...answered })]),
        )
      await move(old, 'before', { ofHandOver: NOW - 1 })
      expect(await claimAwaiting(later(LEASE))).toEqual([])
      await move(old, 'answered', { ofHandOver: NOW })
      await move(current, 'not known')
      expect(await claimAwaiting(later(LEASE))).toMatchObject([{ carrierRef: 'answered', handedAt: NOW }])
    })

    it('of many jobs moves each to its own next step', async () => {
      const ids = Array.from({ length: 73 }, (_, index) => `job-${index}`)
      await put(ids)
      const jobs = await take(100)
      const steps = jobs.map((job, index) => ({
        ...job,
        kind: 'await' as const,
        runAt: NOW + index,
        carrierRef: index % 2 === 0 ? `ref-${job.id}` : null,
        submittedAt: NOW - index,
      }))
      await store.database.write((tx) => rescheduleMessages(tx, steps))
      const claimed = await claim(store.database, laneOf('await'), {
        now: later(1_000),
        leaseMs: LEASE,
        limit: 100,
      })
      expect(new Map(claimed.map((job) => [job.id, job]))).toEqual(
        new Map(
          steps.map(({ id, runAt, carrierRef, submittedAt }) => {
            const claimedOnce = {
              epoch: 3,
              attempts: 0,
              faults: 0,
              lapsed: false,
              lane: '',
              owner: NOBODY,
              expiresAt: 7,
              longRef: null,
              handedAt: 0,
            }
            return [id, { ...claimedOnce, id, runAt, carrierRef, submittedAt }]
          }),
        ),
      )
    })

    it('by removal gives back what was known of the submission', async () => {
      await put(['job'])
      const job = await takeOne()
      const work = { carrierRef: 'ref', submittedAt: NOW, handedAt: 0, longRef: null }
      const step = { ...job, ...work, kind: 'await' as const, runAt: NOW }
      await store.database.write((tx) => rescheduleMessages(tx, [step]))
      const removed = await store.database.write((tx) => removeJobs(tx, ['job', 'unknown']))
      expect(removed).toEqual(new Map([['job', { lane: '', ...work }]]))
      expect(await store.database.write((tx) => removeJobs(tx, ['job']))).toEqual(new Map())
    })
  })

  describe('a job given back', () => {
    it('is due at once, and its fate as unknown as if its lease had ended', async () => {
      await put(['job'])
      const job = await takeOne()
      await store.database.write((tx) => giveBack(tx, [job], later(5)))
      expect(await takeOne(later(5))).toMatchObject({ epoch: 2, lapsed: true })
    })

    it('stays where it is when someone else has claimed it since', async () => {
      await put(['job'])
      const old = await takeOne()
      await takeOne(later(LEASE))
      await store.database.write((tx) => giveBack(tx, [old], later(LEASE)))
      expect(await take(1, later(LEASE))).toEqual([])
    })

    it('keeps the time of its next step when it was settled before', async () => {
      await put(['job'])
      const job = await takeOne()
      await settle(job, NOW + 5_000)
      await store.database.write((tx) => giveBack(tx, [job], NOW))
      expect(await take(1, later(4_999))).toEqual([])
      expect(await takeOne(later(5_000))).toMatchObject({ lapsed: false })
    })
  })

  describe('lanes of a kind', () => {
    const lanes = () => store.database.read((tx) => lanesWithJobs(tx, 'dispatch'))
    const putInto = (lane: string, ids: readonly string[], runAt: number = NOW) =>
      store.database.write((tx) =>
        enqueue(
          tx,
          ids.map((id) => unclaimed(id, { lane, runAt })),
        ),
      )
    const takeFrom = async (lane: string, now = NOW) => {
      const jobs = await claim(store.database, laneOf('dispatch', lane), { now, leaseMs: LEASE, limit: 100 })
      return jobs.map((job) => job.id)
    }

    it('are claimed apart, and named when they have jobs', async () => {
      await putInto('', ['a'])
      await putInto('north', ['b', 'c'])
      await putInto('south', ['d'])
      expect(await lanes()).toEqual(['north', 'south'])
      expect((await takeFrom('north')).sort()).toEqual(['b', 'c'])
      expect(await takeFrom('')).toEqual(['a'])
      expect(await dueIn('dispatch', 'south')).toBe(NOW)
    })

    it('can be left by what has been due for a while, and is not claimed', async () => {
      await putInto('gone', ['a'], NOW - 10)
      await putInto('gone', ['b'], NOW)
      await putInto('gone', ['claimed'], NOW - 20)
      await claim(store.database, laneOf('dispatch', 'gone'), { now: NOW, leaseMs: LEASE, limit: 1 })
      const leave = (tx: Tx) => leaveLane(tx, laneOf('dispatch', 'gone'), { now: NOW, dueBy: NOW - 10 })
      expect(await store.database.write(leave)).toBe(false)
      expect(await takeFrom('')).toEqual(['a'])
      expect(await takeFrom('gone')).toEqual(['b'])
    })

    it('can be brought forward, but for what is claimed', async () => {
      await putInto('north', ['a', 'b'], NOW + 5_000)
      await putInto('south', ['c'], NOW + 5_000)
      const from = { from: '', now: NOW }
      const { due, next } = await store.database.write((tx) =>
        bringForward(tx, laneOf('dispatch', 'north'), from),
      )
      expect(due).toEqual(Array(2).fill({ owner: NOBODY, runAt: NOW }))
      expect(next).toBeUndefined()
      expect((await takeFrom('north')).sort()).toEqual(['a', 'b'])
      expect(await takeFrom('south')).toEqual([])
    })

    it('is brought forward in slices, of jobs and of owners, and what is due is not read', async () => {
      const north = laneOf('dispatch', 'north')
      const putOf = (owner: string, count: number, runAt: number) =>
        store.database.write((tx) =>
          enqueue(
            tx,
            Array.from({ length: count }, (_, index) =>
              unclaimed(`${owner}-${runAt}-${index}`, { lane: 'north', owner, runAt }),
            ),
          ),
        )
      await putOf('busy', 1_500, NOW + 5_000)
      await putOf('busy', 3, NOW - 1)
      for (let n = 100; n < 200; n++) await putOf(`wallet-${n}`, 1, NOW + 5_000)
      const slices: number[] = []
      const brought: string[] = []
      for (let from: string | undefined = ''; from !== undefined; ) {
        const place: string = from
        const slice = await store.database.write((tx) => bringForward(tx, north, { from: place, now: NOW }))
        slices.push(slice.due.length)
        brought.push(...slice.due.map(({ owner }) => owner))
        from = slice.next
      }
      expect(slices).toEqual([1_000, 563, 37])
      expect(new Set(brought).size).toBe(101)
      if (store.engine !== 'an SQLite file') return
      const explainer = await openExplainer(store.url)
      const plans = await explainer.plansOf((tx) => bringForward(tx, north, { from: '', now: NOW }))
      await explainer.close()
      for (const plan of plans.slice(1))
        expect(plan).toMatch(/outbox_due \(kind=\? AND lane=\? AND <expr>=\? AND run_at>\?\)/)
      expect(plans.length).toBeGreaterThan(1)
    })
  })

  describe('the next due time', () => {
    it('is that of the earliest job of a kind', async () => {
      expect(await dueIn('dispatch')).toBeUndefined()
      await put(['b'], NOW + 2)
      await put(['a'], NOW + 1)
      expect(await dueIn('dispatch')).toBe(NOW + 1)
      expect(await dueIn('callback')).toBeUndefined()
    })

    it('is not that of a job that somebody holds, until the lease has ended', async () => {
      await put(['held'], NOW)
      await take(1)
      await put(['free'], NOW + 9)
      expect(await dueIn('dispatch')).toBe(NOW + 9)
      expect(await dueIn('dispatch', '', later(LEASE))).toBe(NOW)
    })
  })
}
