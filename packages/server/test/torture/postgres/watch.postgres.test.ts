import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { markHandedOver, rescheduleMessages, step } from '../../../src/delivery/submit/decisions.ts'
import { enqueue, type Job, renew } from '../../../src/flow/jobs/outbox.ts'
import { type EpochMs, epochMs } from '../../../src/kernel/ids.ts'
import type { Database } from '../../../src/store/database.ts'
import { open } from '../../support/engine.ts'
import { claim, laneOf, unclaimed } from '../../support/jobs.ts'
import { type FreshPostgres, freshPostgres } from '../../support/postgres.ts'
import { NOW } from '../../support/rows-of.ts'
import { watchWriters, whatWasSeen } from './watch.ts'

const LEASE = 30_000
const LAPSED = epochMs(NOW + LEASE)

let place: FreshPostgres
let one: Database
let other: Database
/** The same job, as claimed by `one`, which has lost it, and by `other`, whose claim counts. */
let lost: Job
let held: Job

beforeAll(async () => {
  place = await freshPostgres()
  one = open(`${place.url}?application_name=gateway-0`)
  other = open(`${place.url}?application_name=gateway-1`)
  await watchWriters(other)
})
afterAll(async () => {
  await one.close()
  await other.close()
  await place.drop()
})

beforeEach(async () => {
  await one.write(({ run }) => run('DELETE FROM outbox', []))
  await one.write((tx) => enqueue(tx, [unclaimed('job')]))
  lost = { ...(await take(one, 'dispatch', NOW)), handedAt: NOW }
  await one.write((tx) => markHandedOver(tx, [lost]))
  held = await take(other, 'await', LAPSED)
  await other.write(({ run }) => run('DELETE FROM watch_seen', []))
})

async function take(database: Database, kind: 'dispatch' | 'await', now: EpochMs): Promise<Job> {
  const [job] = await claim(database, laneOf(kind), { now, leaseMs: LEASE, limit: 1 })
  if (!job) throw new Error('expected a job that is due')
  return job
}

const handOver = (database: Database, job: Job) =>
  database.write((tx) => markHandedOver(tx, [{ ...job, handedAt: NOW + 1 }]))

const again = (job: Job, more: { ofHandOver?: number } = {}) =>
  step(job, { kind: 'await', runAt: NOW, ...more })

describe('the watch', () => {
  it.each([
    ['renews it', () => one.write((tx) => renew(tx, [{ ...lost, epoch: held.epoch }], NOW))],
    ['hands it over', () => handOver(one, held)],
    [
      'moves it after the next hand-over',
      async () => {
        await handOver(other, held)
        await one.write((tx) => rescheduleMessages(tx, [again(held)]))
      },
    ],
  ])('sees that one that has lost a job %s', async (_, work) => {
    await work()
    expect(await whatWasSeen(other)).toMatchObject({ stale: 1 })
  })

  it('sees it also after the holder has moved the job', async () => {
    await other.write((tx) => rescheduleMessages(tx, [again(held)]))
    await handOver(one, { ...held, epoch: held.epoch + 1 })
    expect(await whatWasSeen(other)).toMatchObject({ stale: 1 })
  })

  it('sees nothing wrong in what the holder does, nor in an answer to the last hand-over', async () => {
    await other.write((tx) => renew(tx, [held], NOW + LEASE))
    await one.write((tx) => rescheduleMessages(tx, [again(lost, { ofHandOver: NOW })]))
    await take(other, 'await', LAPSED)
    expect(await whatWasSeen(other)).toEqual({ stale: 0, 'taken over': 0, 'final again': 0 })
  })
})
