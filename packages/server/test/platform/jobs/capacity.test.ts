import { describe, expect, it } from 'vitest'
import { bornClaimed, type Job } from '../../../src/flow/jobs/outbox.ts'
import { firstJob } from '../../../src/messages/ports.ts'
import { accepted, timesWith } from '../../support/accepted.ts'
import { eventually } from '../../support/eventually.ts'
import { laneOf } from '../../support/jobs.ts'
import { turns } from '../../support/turns.ts'
import { many, openShift } from './shift.ts'

/** So many jobs, each of an owner of its own. */
const each = (count: number) => Array.from({ length: count }, (_, index) => `owner-${index}`)
const born = (count: number): Job[] =>
  Array.from({ length: count }, () => bornClaimed(firstJob(accepted('w'), timesWith(30_000))))

/** A worker whose lane holds on to what it is given: ten jobs at most, of which it claims four at a time. */
async function openHolding() {
  const shift = await openShift()
  const lane = shift.holding()
  const worker = shift.start(lane)
  await shift.asleep()
  return { ...shift, lane, worker }
}

describe('capacity for jobs that are stored as claimed already', () => {
  it('is what the lane has left beside a batch of claimed ones', async () => {
    const { lane, worker } = await openHolding()
    const four = worker.reserve(laneOf('dispatch'), each(4))
    expect(four?.leaseMs).toBe(30_000)
    const three = worker.reserve(laneOf('dispatch'), each(3))
    expect([0, 1, 2].map((index) => three?.has(index))).toEqual([true, true, false])
    expect(worker.reserve(laneOf('dispatch'), each(1))).toBeUndefined()
    four?.begin(born(4))
    expect(lane.held()).toHaveLength(4)
  })

  it('begins jobs at once, without a claim, and is free again when they are done', async () => {
    const { lane, worker } = await openHolding()
    worker.reserve(laneOf('dispatch'), each(6))?.begin(born(6))
    expect(worker.idle()).toBe(false)
    lane.batches[0]?.finish()
    await eventually('they are done', () => worker.idle())
    expect(worker.reserve(laneOf('dispatch'), each(6))).toBeDefined()
  })

  it('is free again when nothing was stored, or less than was thought', async () => {
    const { lane, worker } = await openHolding()
    worker.reserve(laneOf('dispatch'), each(6))?.giveBack()
    worker.reserve(laneOf('dispatch'), each(6))?.begin(born(1))
    expect(lane.held()).toHaveLength(1)
    expect(worker.reserve(laneOf('dispatch'), each(5))).toBeDefined()
  })

  it('is there for a few even while many wait, and those that wait always find capacity beside them', async () => {
    const { lane, put, worker } = await openHolding()
    await put(many(11))
    worker.reserve(laneOf('dispatch'), each(6))?.begin(born(6))
    worker.notify(laneOf('dispatch'))
    await eventually('the lane is full', () => lane.held().length === 10)
    expect(worker.reserve(laneOf('dispatch'), each(1))).toBeUndefined()
    lane.batches[0]?.finish()
    await eventually('six more are claimed', () => lane.held().length === 16)
    expect(worker.reserve(laneOf('dispatch'), each(1))).toBeUndefined()
  })

  it('is not given to the claims of jobs, nor by a worker that stops', async () => {
    const { lane, put, worker } = await openHolding()
    for (const jobs of [4, 2]) worker.reserve(laneOf('dispatch'), each(jobs))
    await put(many(5))
    worker.notify(laneOf('dispatch'))
    await eventually('the rest of the lane is full', () => lane.held().length === 4)
    await turns()
    expect(lane.held()).toHaveLength(4)
    void worker.stop(0)
    expect(worker.reserve(laneOf('dispatch'), each(1))).toBeUndefined()
  })
})

describe('the capacity of what is behind a lane', () => {
  it('bounds what is claimed and what is stored as claimed, whatever the lane itself could hold', async () => {
    const { holding, start, asleep, put } = await openShift()
    const lane = holding()
    let capacity = 3
    const worker = start({ ...lane, capacity: () => capacity - lane.held().length })
    await asleep()
    await put(many(9))
    worker.notify(laneOf('dispatch'))
    await eventually('three are claimed', () => lane.held().length === 3)
    await turns()
    expect(lane.held()).toHaveLength(3)
    expect(worker.reserve(laneOf('dispatch'), each(1))).toBeUndefined()
    capacity = 5
    worker.notify(laneOf('dispatch'))
    await eventually('two more are claimed', () => lane.held().length === 5)
  })

  it('leaves jobs to others while the lane is patient, but for those that are long due', async () => {
    const { clock, noting, start, put, asleep } = await openShift()
    const lane = noting()
    await put(['old'], clock.now() - 5_000)
    await put(['young'])
    const worker = start({ ...lane, patienceMs: () => 5_000 })
    await eventually('the old one is done', () => lane.seen.length === 1)
    await asleep()
    expect(lane.seen).toEqual(['old'])
    expect(worker.reserve(laneOf('dispatch'), each(1))).toBeUndefined()
  })

  it('is not filled with what was claimed while it was away, which keeps its place in line', async () => {
    const { clock, holding, start, put } = await openShift()
    const lane = holding()
    await put(many(4), clock.now() - 5_000)
    await put(['younger'], clock.now() - 4_000)
    // It comes back while the first claim is under way.
    const patience = [5_000]
    const worker = start({
      ...lane,
      patienceMs: () => patience.shift() ?? 0,
      capacity: () => (patience.length > 0 ? 10 : 1 - lane.held().length),
    })
    await eventually('one is claimed', () => lane.held().length === 1)
    await turns()
    expect(lane.held()).toHaveLength(1)
    expect(many(4)).toContain(lane.held()[0])
    expect(worker.idle(1)).toBe(true)
  })
})
