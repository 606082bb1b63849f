import type { EpochMs } from '../../kernel/ids.ts'
import { type Database, isAll, RowLocked, StoreUnavailable, type Tx } from '../../store/database.ts'
import { claim, type Due, dueOf, firstOfEachOwner } from './claim.ts'
import { Line } from './line.ts'
import { giveBack, handBackFailed, type Job, type LaneName, renew } from './outbox.ts'

export type { Due } from './claim.ts'
export type { Job, LaneName } from './outbox.ts'

/** The delay before retrying a job whose rows were locked by another session. Not counted as a failure. */
const LOCKED_PAUSE_MS = 1_000

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

const ANY_NUMBER = () => Number.POSITIVE_INFINITY

/** The outbox in a database, as the worker sees it. */
export class JobQueue {
  readonly #database: Pick<Database, 'read' | 'write'>
  readonly #beforeClaim: (forget: () => void) => Promise<void>
  readonly #lines = new Map<string, Line>()

  /** `beforeClaim` may plan jobs anew, and then calls `forget`: the known times are no longer theirs. */
  constructor(
    database: Pick<Database, 'read' | 'write'>,
    beforeClaim: (forget: () => void) => Promise<void> = async () => {},
  ) {
    this.#database = database
    this.#beforeClaim = beforeClaim
  }

  /** Jobs of a lane have come; of anybody when left out. */
  notify(lane: LaneName, jobs?: readonly Due[]): void {
    this.#lineOf(lane).notify(jobs)
  }

  /** Whether a job of this owner is due that is not claimed, as far as this process knows. */
  waits(lane: LaneName, owner: string, now: EpochMs): boolean {
    return this.#lineOf(lane).waits(owner, now)
  }

  async claim(lane: LaneName, limits: ClaimLimits): Promise<Job[]> {
    const { now, dueBy = now, leaseMs, limit, allowed = ANY_NUMBER } = limits
    await this.#beforeClaim(() => this.#lines.clear())
    const line = this.#lineOf(lane)
    if (line.mustPoll(now)) {
      line.polling(now)
      const found = await firstOfEachOwner(this.#database, lane, now).catch((error: unknown) => {
        line.notify()
        throw error
      })
      line.found(found)
    }
    const asks = line.pick({ dueBy, limit, allowed })
    if (asks.length === 0) return []
    const claimed = await this.#database.write((tx) => claim(tx, lane, asks, { now, dueBy, leaseMs }), {
      patient: true,
    })
    for (const [index, ask] of asks.entries()) {
      const { jobs, nextDue } = claimed[index] ?? { jobs: [], nextDue: undefined }
      line.took(ask, { last: jobs.at(-1)?.runAt, nextDue, now, dueBy })
    }
    return claimed.flatMap(({ jobs }) => jobs)
  }

  /** When the next job can be claimed; undefined when none is known to wait. */
  nextDue(lane: LaneName, allowed: Allowed = ANY_NUMBER): number | undefined {
    return this.#lineOf(lane).nextDue(allowed)
  }

  renew(jobs: readonly Job[], leaseUntil: number): Promise<void> {
    return this.#database.write((tx) => renew(tx, jobs, leaseUntil), { patient: true })
  }

  /** Gives back the unfinished jobs. Any process may claim them at once. */
  giveBack(jobs: readonly Job[], now: EpochMs): Promise<void> {
    return this.#database.write((tx) => giveBack(tx, jobs, now))
  }

  /** Gives back the unfinished jobs of a lane after their handler failed. */
  async failed(lane: LaneName, jobs: readonly Job[], error: unknown, now: EpochMs): Promise<void> {
    const [isAway, isLocked] = [isAll(error, StoreUnavailable), isAll(error, RowLocked)]
    // An unavailable store could not record this either. The jobs come back when their lease ends.
    if (isAway) return
    const handBack = (tx: Tx) =>
      isLocked ? giveBack(tx, jobs, now, LOCKED_PAUSE_MS) : handBackFailed(tx, jobs, now)
    await this.#database.write(handBack, { patient: true })
    this.notify(
      lane,
      jobs.map((job) => dueOf({ ...lane, owner: job.owner, runAt: now })),
    )
  }

  #lineOf({ kind, lane }: LaneName): Line {
    const name = `${kind}/${lane}`
    const line = this.#lines.get(name) ?? new Line()
    this.#lines.set(name, line)
    return line
  }
}

/** Resolves when all have ended, and rejects with the errors of those that failed. */
export async function all(work: Iterable<Promise<unknown>>): Promise<void> {
  const results = await Promise.allSettled(work)
  const errors = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
  if (errors.length > 0)
    throw new AggregateError(errors, `could not settle ${errors.length} of ${results.length} jobs`)
}
