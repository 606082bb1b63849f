import type { EpochMs } from '../../domain/ids.ts'
import { type Database, isAll, RowLocked, StoreUnavailable, type Tx } from '../database/database.ts'
import { createClaimStarts } from './claim-starts.ts'
import {
  type ClaimOptions,
  claim,
  handBackFailed,
  type Job,
  type LaneName,
  nextDue,
  release,
  renew,
} from './outbox.ts'

export type { Job, JobKind, LaneName } from './outbox.ts'

/** The delay before retrying a job whose rows were locked by another session. Not counted as a failure. */
const LOCKED_PAUSE_MS = 1_000

/** Worker capacity reserved for jobs that are being stored as already claimed. */
export interface Room {
  leaseMs: number
  /** Starts the stored jobs and releases the unused capacity. */
  begin(jobs: readonly Job[]): void
  /** Releases the capacity when nothing was stored. */
  giveBack(): void
}

/** The outbox, as the worker sees it. */
export interface JobQueue {
  claim(lane: LaneName, options: ClaimOptions): Promise<Job[]>
  /** When the next job can be claimed; undefined when none waits. */
  nextDue(lane: LaneName, now: EpochMs): Promise<number | undefined>
  renew(jobs: readonly Job[], leaseUntil: number): Promise<void>
  /** Gives back the unsettled jobs. Any process may claim them at once. */
  release(jobs: readonly Job[], now: EpochMs): Promise<void>
  /** Gives back the unsettled jobs after their handler failed. */
  failed(jobs: readonly Job[], error: unknown, now: EpochMs): Promise<void>
}

/** The outbox in a database, as a {@link JobQueue}. */
export function createJobQueue(database: Database): JobQueue {
  const starts = createClaimStarts()
  return {
    async claim(lane, options) {
      const from = starts.next(lane, options.now)
      const jobs = await database.write((tx) => claim(tx, lane, { ...options, from }), { patient: true })
      starts.claimed(lane, jobs, { ...options, from })
      return jobs
    },
    nextDue: (lane, now) => database.read((tx) => nextDue(tx, lane, now, starts.startOf(lane))),
    renew: (jobs, leaseUntil) => database.write((tx) => renew(tx, jobs, leaseUntil), { patient: true }),
    release: (jobs, now) => database.write((tx) => release(tx, jobs, now)),
    async failed(jobs, error, now) {
      const [isAway, isLocked] = [isAll(error, StoreUnavailable), isAll(error, RowLocked)]
      // An unavailable store could not record this either. The jobs come back when their lease ends.
      if (isAway) return
      const handBack = (tx: Tx) =>
        isLocked ? release(tx, jobs, now, LOCKED_PAUSE_MS) : handBackFailed(tx, jobs, now)
      await database.write(handBack, { patient: true })
    },
  }
}
