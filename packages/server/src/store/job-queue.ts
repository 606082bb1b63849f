import type { EpochMs } from '../domain/ids.ts'
import type { Database } from './database.ts'
import { claimIntake, intakeWaits } from './intake.ts'
import { claim, type Job, type JobKind, nextDue, release } from './outbox.ts'

export type { Job, JobKind } from './outbox.ts'

/** The outbox, as the night shift sees it. */
export interface JobQueue {
  claim(kind: JobKind, options: { now: EpochMs; leaseMs: number; limit: number }): Promise<Job[]>
  /** When there is something to claim; undefined when nothing waits. */
  nextDue(kind: JobKind, now: EpochMs): Promise<number | undefined>
  release(jobs: readonly Job[], now: EpochMs): Promise<void>
}

export function createJobQueue(database: Database): JobQueue {
  return {
    claim: (kind, options) =>
      database.write(
        async (connection) => {
          const due = await claim(connection, kind, options)
          const room = options.limit - due.length
          if (kind !== 'dispatch' || room === 0) return due
          const leaseUntil = options.now + options.leaseMs
          return [...due, ...(await claimIntake(connection, { leaseUntil, limit: room }))]
        },
        { behind: true, patient: true },
      ),
    nextDue: (kind, now) =>
      database.read(
        async (connection) => {
          const more = kind === 'dispatch' && (await intakeWaits(connection))
          return more ? now : nextDue(connection, kind, now)
        },
        { behind: true },
      ),
    release: (jobs, now) => database.write((connection) => release(connection, jobs, now), { behind: true }),
  }
}
