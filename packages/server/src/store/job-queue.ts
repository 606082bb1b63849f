import type { EpochMs } from '../domain/ids.ts'
import { type Connection, type Database, RowLocked, StoreUnavailable } from './database.ts'
import { claim, handBackFailed, type Job, type JobKind, nextDue, release, renew } from './outbox.ts'

export type { Job, JobKind } from './outbox.ts'

/** When a job comes back whose rows another session had locked, which is no fault of the job. */
const LOCKED_PAUSE_MS = 1_000

/** Room that a worker keeps for jobs which are being stored as claimed already. */
export interface Room {
  leaseMs: number
  /** Begins jobs that are stored, and gives the rest of the room back. */
  begin(jobs: readonly Job[]): void
  /** Gives the room back, when nothing was stored. */
  giveBack(): void
}

/** The outbox, as the worker sees it. */
export interface JobQueue {
  claim(kind: JobKind, options: { now: EpochMs; leaseMs: number; limit: number }): Promise<Job[]>
  /** When there is something to claim; undefined when nothing waits. */
  nextDue(kind: JobKind, now: EpochMs): Promise<number | undefined>
  renew(jobs: readonly Job[], leaseUntil: number): Promise<void>
  /** Gives back those of the jobs that are not settled, for any process to claim at once. */
  release(jobs: readonly Job[], now: EpochMs): Promise<void>
  /** Gives back those of the jobs that are not settled because their handling failed. */
  failed(jobs: readonly Job[], error: unknown, now: EpochMs): Promise<void>
}

export function createJobQueue(database: Database): JobQueue {
  return {
    claim: (kind, options) =>
      database.write((connection) => claim(connection, kind, options), { patient: true }),
    nextDue: (kind, now) => database.read((connection) => nextDue(connection, kind, now)),
    renew: (jobs, leaseUntil) =>
      database.write((connection) => renew(connection, jobs, leaseUntil), { patient: true }),
    release: (jobs, now) => database.write((connection) => release(connection, jobs, now)),
    async failed(jobs, error, now) {
      const [isAway, isLocked] = [isAll(error, StoreUnavailable), isAll(error, RowLocked)]
      // A store that takes nothing now would not take this either: the jobs come back when their lease ends.
      if (isAway) return
      const handBack = (connection: Connection) =>
        isLocked ? release(connection, jobs, now, LOCKED_PAUSE_MS) : handBackFailed(connection, jobs, now)
      await database.write(handBack, { patient: true })
    },
  }
}

/** Whether nothing but one kind of error is why work failed. */
function isAll(error: unknown, kind: typeof StoreUnavailable | typeof RowLocked): boolean {
  if (error instanceof AggregateError) return error.errors.every((each) => isAll(each, kind))
  return error instanceof kind
}
