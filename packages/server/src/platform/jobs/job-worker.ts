import type { Parts } from '../parts.ts'
import { createJobQueue } from './queue.ts'
import { followSetBacks } from './set-back.ts'
import { createWorker, type Worker } from './worker.ts'

/** At most this many of the jobs that failed are named in the log. */
const LOGGED_JOBS = 5

export interface JobWorkerOptions extends Pick<Parts, 'database' | 'clock' | 'fault' | 'log'> {
  pollMs: number
}

/** The worker of a gateway, which follows a clock that is set back, and tells log and metrics of jobs that fail. */
export function createJobWorker({ database, clock, fault, log, pollMs }: JobWorkerOptions): Worker {
  const queue = followSetBacks(createJobQueue(database), {
    database,
    clock,
    onSetBack: (byMs) => log.warn({ byMs }, 'the clock was set back; what waits is planned anew'),
  })
  return createWorker({
    queue,
    clock,
    pollMs,
    onFault(error, { kind, lane }, jobs) {
      const part = lane === '' ? `worker/${kind}` : `worker/${kind}/${lane}`
      fault(part)(error, { jobs: jobs.slice(0, LOGGED_JOBS).map(({ id }) => id) })
    },
  })
}
