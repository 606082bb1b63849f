import { describe, expect, it } from 'vitest'
import { eventually } from '../../support/eventually.ts'
import { claim, laneOf } from '../../support/jobs.ts'
import { turns } from '../../support/turns.ts'
import { LEASE, many, openShift } from './shift.ts'

describe('a worker that stops', () => {
  it('claims nothing more, and waits for what is under way', async () => {
    const shift = await openShift()
    const { database, put, start } = shift
    const lane = shift.holding()
    await put(many(12))
    const worker = start(lane)
    await eventually('the lane is full', () => lane.held().length === 10)
    let stopped = false
    const stopping = worker.stop(5_000).then(() => {
      stopped = true
    })
    await turns()
    expect(stopped).toBe(false)
    for (const { finish } of lane.batches) finish()
    await stopping
    expect(lane.held()).toHaveLength(10)
    const left = await database.read(({ run }) => run<{ id: string }>('SELECT id FROM outbox', []))
    expect(left).toHaveLength(2)
  })

  it('gives back what is not done in time, for others to claim at once and to know that it lapsed', async () => {
    const shift = await openShift()
    const { clock, database, put, start } = shift
    const lane = shift.holding()
    await put(['job'])
    const worker = start(lane)
    await eventually('it is under way', () => lane.held().length === 1)
    await worker.stop(20)
    const claimed = await claim(database, laneOf('dispatch'), { now: clock.now(), leaseMs: LEASE, limit: 9 })
    expect(claimed).toMatchObject([{ id: 'job', lapsed: true, epoch: 2 }])
  })

  it('does not complain of what it gave back, whatever becomes of it', async () => {
    const { faults, put, start } = await openShift()
    const { promise: broken, reject: breakIt } = Promise.withResolvers<void>()
    await put(['job'])
    let begun = false
    const worker = start({
      handle() {
        begun = true
        return broken
      },
    })
    await eventually('it is under way', () => begun)
    await worker.stop(20)
    breakIt(new Error('the store is closed'))
    await turns()
    expect(faults).toEqual([])
  })
})
