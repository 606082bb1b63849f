import { describe, expect, it } from 'vitest'
import { many, openShift } from './shift.ts'
import { aMoment, until } from './until.ts'

const GATHER = { gatherMs: 5 }

describe('a worker whose process is busy with those who wait for an answer', () => {
  it('gives way to them, and works when they are gone', async () => {
    const { put, start, noting } = await openShift()
    const lane = noting()
    let busy = true
    await put(many(3))
    start({ ...lane, ...GATHER }, undefined, () => busy)
    await aMoment()
    expect(lane.seen).toEqual([])
    busy = false
    await until('all is done', () => lane.seen.length === 3)
  })

  it('gives way in the middle of its work as well', async () => {
    const { put, start, noting } = await openShift()
    const lane = noting()
    let busy = false
    await put(many(40))
    const handle: typeof lane.handle = async (jobs) => {
      busy = true
      await lane.handle(jobs)
    }
    start({ handle, ...GATHER }, undefined, () => busy)
    await until('it has begun', () => busy)
    await aMoment()
    expect(lane.seen.length).toBeLessThan(40)
    busy = false
  })

  it('waits two seconds at the longest, and then goes on until nothing is left', async () => {
    const { put, start, noting } = await openShift()
    const lane = noting()
    await put(many(30))
    const started = performance.now()
    start({ ...lane, ...GATHER }, undefined, () => true)
    await until('all is done', () => lane.seen.length === 30)
    const waited = performance.now() - started
    expect(waited).toBeGreaterThan(1_900)
    expect(waited).toBeLessThan(3_900)
  })
})
