import { describe, expect, it } from 'vitest'
import { bornClaimed, type Job } from '../../src/store/outbox.ts'
import { accepted } from '../store/accepted.ts'
import { many, openShift } from './shift.ts'
import { aMoment, until } from './until.ts'

const born = (count: number): Job[] => Array.from({ length: count }, () => bornClaimed(accepted('w'), 1_000))

/** A worker whose lane of ten holds on to what it is given. */
async function openHolding() {
  const shift = await openShift()
  const lane = shift.holding()
  const worker = shift.start(lane)
  await shift.asleep()
  return { ...shift, lane, worker }
}

describe('room for jobs that are stored as claimed already', () => {
  it('is what the lane has left', async () => {
    const { lane, worker } = await openHolding()
    const seven = worker.room('dispatch', 7)
    expect(seven?.leaseMs).toBe(30_000)
    expect(worker.room('dispatch', 3)).toBeDefined()
    expect(worker.room('dispatch', 1)).toBeUndefined()
    seven?.begin(born(7))
    expect(lane.held()).toHaveLength(7)
  })

  it('begins jobs at once, without a claim, and is free again when they are done', async () => {
    const { lane, worker } = await openHolding()
    worker.room('dispatch', 10)?.begin(born(10))
    expect(worker.idle()).toBe(false)
    lane.batches[0]?.finish()
    await until('they are done', () => worker.idle())
    expect(worker.room('dispatch', 10)).toBeDefined()
  })

  it('is free again when nothing was stored, or less than was thought', async () => {
    const { lane, worker } = await openHolding()
    worker.room('dispatch', 10)?.giveBack()
    worker.room('dispatch', 10)?.begin(born(1))
    expect(lane.held()).toHaveLength(1)
    expect(worker.room('dispatch', 9)).toBeDefined()
  })

  it('is not given while others wait that came before', async () => {
    const { lane, put, worker } = await openHolding()
    expect(worker.room('dispatch', 11)).toBeUndefined()
    await put(many(11))
    expect(worker.room('dispatch', 1)).toBeUndefined()
    worker.wake('dispatch')
    await until('the lane is full', () => lane.held().length === 10)
    lane.batches[0]?.finish()
    await until('the last is begun', () => lane.held().length === 11)
    await until('nobody waits', () => worker.room('dispatch', 1) !== undefined)
  })

  it('is not given to the claims of jobs, nor by a worker that has not looked yet or stops', async () => {
    const { clock, lane, put, worker } = await openHolding()
    worker.room('dispatch', 8)
    await put(many(5))
    worker.wake('dispatch')
    await until('the rest of the lane is full', () => lane.held().length === 2)
    await aMoment()
    expect(lane.held()).toHaveLength(2)
    expect(clock.now()).toBeDefined()
    void worker.stop(0)
    expect(worker.room('dispatch', 1)).toBeUndefined()
    const { start } = await openShift()
    expect(start(lane).room('dispatch', 1)).toBeUndefined()
  })
})
