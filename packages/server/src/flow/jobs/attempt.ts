import type { EpochMs } from '../../kernel/ids.ts'
import type { Database, Tx } from '../../store/database.ts'
import { type Job, type LaneName, removeHeld, reschedule } from './outbox.ts'

/** Rows that are posted by jobs of their own ids, each until it was taken or is given up. */
export interface Posted<Row> {
  lane: LaneName
  /** Undefined where it is gone. */
  find(tx: Tx, id: string): Promise<Row | undefined>
  remove(tx: Tx, id: string): Promise<void>
  /** Makes one attempt, and returns when the next is due; undefined when there is none. */
  attempt(row: Row, job: Job): Promise<EpochMs | undefined>
  /** Called after a commit when there is a next attempt. */
  onAgain(runAt: EpochMs): void
}

/** Makes the attempt of a claimed job. Its row goes with the last one. */
export async function attemptJob<Row>(
  database: Pick<Database, 'read' | 'write'>,
  job: Job,
  { lane, find, remove, attempt, onAgain }: Posted<Row>,
): Promise<void> {
  const row = await database.read((tx) => find(tx, job.id))
  const runAt = row === undefined ? undefined : await attempt(row, job)
  if (runAt !== undefined) {
    const step = { ...job, ...lane, runAt, attempts: job.attempts + 1, lapsed: false }
    await database.write((tx) => reschedule(tx, [step]), { patient: true })
    onAgain(runAt)
    return
  }
  await database.write(
    async (tx) => {
      const held = await removeHeld(tx, [job])
      if (row !== undefined && held.has(job.id)) await remove(tx, job.id)
    },
    { patient: true },
  )
}
