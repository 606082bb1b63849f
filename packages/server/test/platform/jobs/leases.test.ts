import { describe, expect, it } from 'vitest'
import { type Job, reschedule } from '../../../src/flow/jobs/outbox.ts'
import { epochMs } from '../../../src/kernel/ids.ts'
import { eventually } from '../../support/eventually.ts'
import { claim, laneOf } from '../../support/jobs.ts'
import { turns } from '../../support/turns.ts'
import { LEASE, openShift } from './shift.ts'

/** A shift with one job under way for as long as the test wants, and a second process that claims what it can. */
async function openLongJob() {
  const shift = await openShift()
  const { clock, database, put, start } = shift
  const begun: Job[] = []
  const { promise: finished, resolve: finish } = Promise.withResolvers<void>()
  await put(['long'])
  start({
    async handle(jobs) {
      begun.push(...jobs)
      await finished
    },
  })
  await eventually('the job is under way', () => begun.length === 1)
  return {
    begun,
    finish,
    pass: (ms: number) => clock.moveTo(epochMs(clock.now() + ms)),
    /** A claim by another process, whose clock may be ahead. */
    elsewhere: (aheadMs = 0) =>
      claim(database, laneOf('dispatch'), { now: epochMs(clock.now() + aheadMs), leaseMs: LEASE, limit: 9 }),
    async settle(job: Job) {
      const step = { ...job, kind: 'await' as const, runAt: clock.now() }
      await database.write((tx) => reschedule(tx, [step]))
      const [row] = await database.read(({ run }) => run<{ kind: string }>('SELECT kind FROM outbox', []))
      return row?.kind === 'await'
    },
  }
}

describe('a job that outlives its lease', () => {
  it('is begun once, and kept from other processes, for as long as its worker lives', async () => {
    const { begun, elsewhere, pass, settle } = await openLongJob()
    for (let third = 0; third < 12; third++) {
      pass(LEASE / 3)
      await turns()
      expect(await elsewhere()).toEqual([])
    }
    expect(begun).toHaveLength(1)
    const [job] = begun
    expect(job && (await settle(job))).toBe(true)
  })

  it('is begun once, and settled, when the clock jumps past the lease', async () => {
    const { begun, pass, settle } = await openLongJob()
    pass(LEASE * 2)
    await turns()
    expect(begun).toHaveLength(1)
    const [job] = begun
    expect(job && (await settle(job))).toBe(true)
  })

  it('that another process claimed meanwhile is not begun again, and settles nothing', async () => {
    const { begun, elsewhere, pass, settle } = await openLongJob()
    const [job] = begun
    if (!job) throw new Error('expected a job')
    expect(await elsewhere(LEASE)).toHaveLength(1)
    pass(LEASE * 3)
    await turns()
    expect(begun).toHaveLength(1)
    expect(await settle(job)).toBe(false)
  })
})

describe('a job that moves to another lane while it is under way', () => {
  it('stays with its handler when its lease lapses, and is not begun again by that lane', async () => {
    const { database, put, start } = await openShift()
    const begun: Job[] = []
    const again: Job[] = []
    const { promise: finished, resolve: finish } = Promise.withResolvers<void>()
    await put(['long'])
    const worker = start({
      async handle(jobs) {
        begun.push(...jobs)
        await finished
      },
    })
    worker.open({
      kind: 'await',
      lane: '',
      batch: 4,
      underWay: 10,
      leaseMs: LEASE,
      gatherMs: 0,
      handle: async (jobs) => void again.push(...jobs),
    })
    await eventually('the job is under way', () => begun.length === 1)
    const lapsed = "UPDATE outbox SET kind = 'await', lease_until = 1"
    await database.write(({ run }) => run(lapsed, []))
    worker.notify(laneOf('await'))
    await eventually('it was claimed again', () => begun[0]?.epoch === 2)
    expect(again).toEqual([])
    finish()
  })
})
