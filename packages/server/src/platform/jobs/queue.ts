import type { EpochMs } from '../../domain/ids.ts'
import { type Database, isAll, RowLocked, StoreUnavailable, type Tx } from '../database/database.ts'
import { claim, type Due, dueOf, firstOfEachOwner } from './claim.ts'
import { handBackFailed, type Job, type LaneName, release, renew } from './outbox.ts'
import { createWaiting, type Waiting } from './waiting.ts'

export type { Due } from './claim.ts'
export type { Job, LaneName } from './outbox.ts'

/** The delay before retrying a job whose rows were locked by another session. Not counted as a failure. */
const LOCKED_PAUSE_MS = 1_000

/** Worker capacity reserved for jobs that are being stored as already claimed. */
export interface ReservedCapacity {
  leaseMs: number
  /** Whether there is a place for the job that was asked about at this index. */
  has(index: number): boolean
  /** Starts the stored jobs and releases the unused capacity. */
  begin(jobs: readonly Job[]): void
  /** Releases the capacity when nothing was stored. */
  giveBack(): void
}

/** How many jobs of an owner may be in progress. */
export type Allowed = (owner: string) => number

export interface ClaimLimits {
  now: EpochMs
  /** Claims only jobs due by this time; now when left out. */
  dueBy?: number
  leaseMs: number
  limit: number
  /** How many more of an owner's jobs may be claimed; any number when left out. */
  allowed?: Allowed
}

/** The outbox, as the worker sees it. */
export interface JobQueue {
  /** Jobs of a lane have come; of anybody when left out. */
  notify(lane: LaneName, jobs?: readonly Due[]): void
  /** Whether a job of this owner is due that is not claimed, as far as this process knows. */
  waits(lane: LaneName, owner: string, now: EpochMs): boolean
  claim(lane: LaneName, limits: ClaimLimits): Promise<Job[]>
  /** When the next job can be claimed; undefined when none is known to wait. */
  nextDue(lane: LaneName, allowed?: Allowed): number | undefined
  /** Forgets who waits, and looks for it again before the next claims. */
  forget(): void
  renew(jobs: readonly Job[], leaseUntil: number): Promise<void>
  /** Gives back the unfinished jobs. Any process may claim them at once. */
  release(jobs: readonly Job[], now: EpochMs): Promise<void>
  /** Gives back the unfinished jobs of a lane after their handler failed. */
  failed(lane: LaneName, jobs: readonly Job[], error: unknown, now: EpochMs): Promise<void>
}

const ANY_NUMBER = () => Number.POSITIVE_INFINITY

/** The outbox in a database, as a {@link JobQueue}. */
export function createJobQueue(database: Database): JobQueue {
  const lanes = new Map<string, Waiting>()

  function waitingIn({ kind, lane }: LaneName): Waiting {
    const name = `${kind}/${lane}`
    const known = lanes.get(name)
    if (known) return known
    const waiting = createWaiting()
    lanes.set(name, waiting)
    return waiting
  }

  return {
    notify: (lane, jobs) => waitingIn(lane).notify(jobs),
    waits: (lane, owner, now) => waitingIn(lane).waits(owner, now),
    async claim(lane, { now, dueBy = now, leaseMs, limit, allowed = ANY_NUMBER }) {
      const waiting = waitingIn(lane)
      if (waiting.mustPoll(now)) {
        waiting.polling(now)
        const found = await firstOfEachOwner(database, lane, now).catch((error: unknown) => {
          waiting.notify()
          throw error
        })
        waiting.found(found)
      }
      const asks = waiting.pick({ dueBy, limit, allowed })
      if (asks.length === 0) return []
      const claimed = await database.write((tx) => claim(tx, lane, asks, { now, dueBy, leaseMs }), {
        patient: true,
      })
      for (const [index, ask] of asks.entries()) {
        const { jobs, nextDue } = claimed[index] ?? { jobs: [], nextDue: undefined }
        waiting.took(ask, { last: jobs.at(-1)?.runAt, nextDue, now, dueBy })
      }
      return claimed.flatMap(({ jobs }) => jobs)
    },
    nextDue: (lane, allowed = ANY_NUMBER) => waitingIn(lane).nextDue(allowed),
    forget: () => lanes.clear(),
    renew: (jobs, leaseUntil) => database.write((tx) => renew(tx, jobs, leaseUntil), { patient: true }),
    release: (jobs, now) => database.write((tx) => release(tx, jobs, now)),
    async failed(lane, jobs, error, now) {
      const [isAway, isLocked] = [isAll(error, StoreUnavailable), isAll(error, RowLocked)]
      // An unavailable store could not record this either. The jobs come back when their lease ends.
      if (isAway) return
      const handBack = (tx: Tx) =>
        isLocked ? release(tx, jobs, now, LOCKED_PAUSE_MS) : handBackFailed(tx, jobs, now)
      await database.write(handBack, { patient: true })
      waitingIn(lane).notify(jobs.map((job) => dueOf({ ...lane, owner: job.owner, runAt: now })))
    },
  }
}

/** Resolves when all have ended, and rejects with the errors of those that failed. */
export async function all(work: Iterable<Promise<unknown>>): Promise<void> {
  const results = await Promise.allSettled(work)
  const errors = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
  if (errors.length > 0)
    throw new AggregateError(errors, `could not settle ${errors.length} of ${results.length} jobs`)
}
