import { describe, expect, it } from 'vitest'
import { countSetAside, type Job, type LaneName, outboxState } from '../../../src/flow/jobs/outbox.ts'
import { type ClaimLimits, JobQueue } from '../../../src/flow/jobs/queue.ts'
import { epochMs } from '../../../src/kernel/ids.ts'
import { eventually } from '../../support/eventually.ts'
import { turns } from '../../support/turns.ts'
import { many, openShift, START } from './shift.ts'

const HOUR = 3_600_000
/** Claimed together with the first three others, by its place in their order. */
const POISON = 'job-0-poison'

/** A shift whose lane throws whenever the poison is among its jobs. */
async function openPoisoned() {
  const shift = await openShift()
  const { clock, database, forget, start, put } = shift
  const tries: number[] = []
  const done: string[] = []
  let cured = false
  await put([...many(6), POISON])
  start({
    async handle(jobs: readonly Job[]) {
      if (jobs.some(({ id }) => id === POISON)) tries.push(clock.now() - START)
      if (!cured && jobs.some(({ id }) => id === POISON)) throw new Error('on purpose')
      await forget(jobs)
      done.push(...jobs.map(({ id }) => id))
    },
  })
  return {
    ...shift,
    tries,
    done,
    cure: () => {
      cured = true
    },
    /** Lets the time of the next job come. */
    async turn() {
      const before = tries.length + done.length
      const next = await database.read(({ run }) =>
        run<{ at: number }>('SELECT min(run_at) AS at FROM outbox', []),
      )
      clock.moveTo(epochMs(Math.max(clock.now(), next[0]?.at ?? 0)))
      await eventually('something was tried', () => tries.length + done.length > before)
      await shift.asleep()
    },
  }
}

describe('a job that fails each time', () => {
  it('harms none of those it was claimed with: each is done by itself a second later', async () => {
    const { asleep, done, turn } = await openPoisoned()
    await asleep()
    expect(done.sort()).toEqual(many(6).slice(3))
    await turn()
    await eventually('the others are done', () => done.length === 6)
    expect(done.sort()).toEqual(many(6))
  })

  it('is tried less and less often, then once an hour, and is done when its cause is gone', async () => {
    const { asleep, cure, database, done, tries, turn } = await openPoisoned()
    await asleep()
    for (let failures = 1; failures < 8; failures++) await turn()
    expect(tries).toEqual([0, 1, 3, 7, 15, 31, 63, 63 + HOUR / 1_000].map((seconds) => seconds * 1_000))
    const counted = () => database.read(countSetAside)
    expect(await counted()).toEqual([{ kind: 'dispatch', count: 1 }])
    const state = await database.read((tx) => outboxState(tx, START, 0))
    expect(state).toMatchObject({ jobs: 1, setAside: 1, lapsed: 0 })
    cure()
    await turn()
    expect(done).toContain(POISON)
    expect(await counted()).toEqual([])
  })

  it('is reported by its id, from the second time on alone', async () => {
    const { asleep, faults, turn } = await openPoisoned()
    await asleep()
    await turn()
    const together = [...many(1), POISON, ...many(3).slice(1)]
    expect(faults).toMatchObject([{ jobs: together }, { jobs: [POISON] }])
  })
})

describe('a claim that gives more than was asked for', () => {
  it('leaves the event loop its turns, and the lane goes on when there is capacity', async () => {
    const { database, put, start, holding } = await openShift()
    const lane = holding()
    await put(many(30))
    class Generous extends JobQueue {
      override claim(lane: LaneName, limits: ClaimLimits) {
        return super.claim(lane, { ...limits, limit: limits.limit + 3 })
      }
    }
    start(lane, database, new Generous(database))
    await eventually('the lane is more than full', () => lane.held().length > 10)
    await turns()
    expect(lane.held().length).toBeLessThan(20)
    for (let index = 0; lane.held().length < 30; index++) {
      await eventually('there is a batch', () => lane.batches.length > index)
      lane.batches[index]?.finish()
      await turns()
    }
    for (const { finish } of lane.batches) finish()
  })
})
