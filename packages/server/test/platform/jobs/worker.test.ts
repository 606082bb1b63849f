import { describe, expect, it } from 'vitest'
import { dueOf } from '../../../src/flow/jobs/claim.ts'
import { reschedule } from '../../../src/flow/jobs/outbox.ts'
import { epochMs } from '../../../src/kernel/ids.ts'
import type { Database } from '../../../src/store/database.ts'
import { eventually } from '../../support/eventually.ts'
import { laneOf } from '../../support/jobs.ts'
import { turns } from '../../support/turns.ts'
import { many, openShift, POLL, START } from './shift.ts'

describe('the worker', () => {
  it('does what is due when it starts, and what it is woken for, at once', async () => {
    const shift = await openShift()
    const { asleep, clock, put, start } = shift
    const lane = shift.noting()
    await put(['before'])
    const worker = start(lane)
    await eventually('the first is done', () => lane.seen.includes('before'))
    await asleep()
    await put(['after'])
    worker.notify(laneOf('dispatch'))
    await eventually('the second is done', () => lane.seen.includes('after'))
    expect(clock.now()).toBe(START)
  })

  it('sleeps until the next job is due, and no longer', async () => {
    const shift = await openShift()
    const { asleep, clock, put, start } = shift
    const lane = shift.noting()
    await put(['later'], START + 5_000)
    start(lane)
    await asleep()
    clock.moveTo(epochMs(START + 4_999))
    await turns()
    expect(lane.seen).toEqual([])
    clock.moveTo(epochMs(START + 5_000))
    await eventually('it is done', () => lane.seen.length === 1)
  })

  it('finds by itself what other processes have queued', async () => {
    const shift = await openShift()
    const { asleep, clock, put, start } = shift
    const lane = shift.noting()
    start(lane)
    await asleep()
    await put(['elsewhere'])
    clock.moveTo(epochMs(START + POLL))
    await eventually('it is done', () => lane.seen.length === 1)
  })

  it('has no more under way than its lane allows, and takes no more at a time', async () => {
    const shift = await openShift()
    const { put, start } = shift
    const lane = shift.holding()
    await put(many(30))
    start(lane)
    await eventually('the lane is full', () => lane.held().length === 10)
    await turns()
    expect(lane.batches.map(({ jobs }) => jobs.length)).toEqual([4, 4, 2])
  })

  it.each([0, 1, 2])(
    'fills the capacity that batch %d leaves when it is done, without being woken',
    async (index) => {
      const shift = await openShift()
      const { clock, put, start } = shift
      const lane = shift.holding()
      await put(many(30))
      start(lane)
      await eventually('the lane is full', () => lane.held().length === 10)
      await turns()
      lane.batches[index]?.finish()
      await eventually('there is more', () => lane.held().length > 10)
      expect(clock.now()).toBe(START)
    },
  )

  it('is not kept awake by what it has no capacity for', async () => {
    const shift = await openShift()
    const { put, start } = shift
    const lane = shift.holding()
    await put(many(30))
    const worker = start(lane)
    await eventually('the lane is full', () => lane.held().length === 10)
    worker.notify(laneOf('dispatch'))
    await turns()
    expect(lane.held()).toHaveLength(10)
  })

  it('fills the capacity of single jobs that are done, while others of their batch are not', async () => {
    const { forget, put, start } = await openShift()
    const { promise: never, resolve: end } = Promise.withResolvers<void>()
    const begun: string[] = []
    await put(many(16))
    start({
      async handle(jobs, done) {
        begun.push(...jobs.map(({ id }) => id))
        const [slow, ...quick] = jobs
        await forget(jobs)
        for (const job of quick) done(job)
        if (slow) await never
      },
    })
    await eventually('all have begun', () => begun.length === 16)
    end()
  })

  it('begins the next step of a job at once, while others of its batch are still under way', async () => {
    const { database, forget, put, start } = await openShift()
    const { promise: slow, resolve: end } = Promise.withResolvers<void>()
    const begun: string[] = []
    await put(many(3))
    const worker = start({
      async handle(jobs) {
        const again = jobs.filter(({ id }) => id === 'job-0' && !begun.includes(id))
        begun.push(...jobs.map(({ id }) => id))
        const steps = again.map((job) => ({ ...job, kind: 'dispatch' as const, runAt: START }))
        await database.write((tx) => reschedule(tx, steps))
        await forget(jobs.filter((job) => !again.includes(job)))
        worker.notify(laneOf('dispatch'), steps.map(dueOf))
        if (again.length > 0) await slow
      },
    })
    worker.notify(laneOf('dispatch'))
    await eventually('the next step has begun', () => begun.filter((id) => id === 'job-0').length === 2)
    end()
  })

  it('goes on when a lane fails, and does the failed job again once its lease has ended', async () => {
    const shift = await openShift()
    const { asleep, clock, faults, put, start } = shift
    const lane = shift.noting()
    let failures = 0
    await put(['job'])
    start({
      handle(jobs) {
        if (failures++ === 0) return Promise.reject(new Error('on purpose'))
        return lane.handle(jobs)
      },
    })
    await eventually('it failed', () => faults.length === 1)
    await asleep()
    clock.moveTo(epochMs(START + POLL))
    await eventually('it is done', () => lane.seen.length === 1)
  })

  it('goes on when the store was away', async () => {
    const shift = await openShift()
    const { clock, database, faults, put, start } = shift
    const lane = shift.noting()
    let away = true
    const flaky: Database = {
      ...database,
      write: (work, options) => (away ? Promise.reject(new Error('away')) : database.write(work, options)),
    }
    await put(['job'])
    start(lane, flaky)
    await eventually('it was seen', () => faults.length === 1)
    away = false
    await turns()
    await eventually('it is done', () => {
      clock.moveTo(epochMs(clock.now() + POLL))
      return lane.seen.length === 1
    })
  })
})
