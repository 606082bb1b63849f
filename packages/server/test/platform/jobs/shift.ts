import { onTestFinished } from 'vitest'
import { enqueue, type Job, removeJobs } from '../../../src/flow/jobs/outbox.ts'
import { JobQueue } from '../../../src/flow/jobs/queue.ts'
import { type Lane, Worker } from '../../../src/flow/jobs/worker.ts'
import { epochMs } from '../../../src/kernel/ids.ts'
import type { Database } from '../../../src/store/database.ts'
import { migrate } from '../../../src/store/schema/migrate.ts'
import { createMovedClock } from '../../../src/testing/clock.ts'
import { open } from '../../support/engine.ts'
import { eventually } from '../../support/eventually.ts'
import { unclaimed } from '../../support/jobs.ts'

export const START = epochMs(1_700_000_000_000)
export const POLL = 60_000
export const LEASE = 30_000

/** A lane that holds on to what it is given until it is told to let go of a batch. */
export interface Holding extends Pick<Lane, 'handle'> {
  batches: { jobs: readonly Job[]; finish: () => void }[]
  held(): string[]
}

/** A night shift of one lane on a real store, and a clock that only tests move. */
export async function openShift() {
  const clock = createMovedClock(START)
  const database = open(':memory:')
  const faults: unknown[] = []
  let worker: Worker | undefined
  await migrate(database)
  onTestFinished(async () => {
    await worker?.stop(0)
    await database.close()
  })
  const forget = (jobs: readonly Job[]) =>
    database.write((tx) =>
      removeJobs(
        tx,
        jobs.map(({ id }) => id),
      ),
    )

  return {
    clock,
    database,
    faults,
    forget,
    start(
      lane: Pick<Lane, 'handle'> & Partial<Lane>,
      on: Database = database,
      queue: JobQueue = new JobQueue(on),
    ): Worker {
      const whole = {
        kind: 'dispatch',
        lane: '',
        batch: 4,
        underWay: 10,
        leaseMs: LEASE,
        gatherMs: 0,
        ...lane,
      } as const
      const onFault = (error: unknown, _: unknown, jobs: readonly Job[]) =>
        faults.push({ error, jobs: jobs.map(({ id }) => id) })
      worker = new Worker({
        queue,
        clock,
        pollMs: POLL,
        onFault,
      })
      worker.start([whole])
      return worker
    },
    put: (ids: readonly string[], runAt: number = clock.now()) =>
      database.write((tx) =>
        enqueue(
          tx,
          ids.map((id) => unclaimed(id, { runAt })),
        ),
      ),
    asleep: () => eventually('the worker sleeps', () => worker?.idle() ?? false),
    /** A lane that notes what it is given and is done with it at once. */
    noting() {
      const seen: string[] = []
      const handle = async (jobs: readonly Job[]) => {
        await forget(jobs)
        seen.push(...jobs.map(({ id }) => id))
      }
      return { seen, handle }
    },
    holding(): Holding {
      const batches: Holding['batches'] = []
      return {
        batches,
        held: () => batches.flatMap(({ jobs }) => jobs.map(({ id }) => id)),
        async handle(jobs) {
          await new Promise<void>((finish) => batches.push({ jobs, finish }))
          await forget(jobs)
        },
      }
    },
  }
}

export const many = (count: number) => Array.from({ length: count }, (_, index) => `job-${index}`)
