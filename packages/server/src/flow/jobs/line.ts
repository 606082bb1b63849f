import type { EpochMs } from '../../kernel/ids.ts'
import type { Ask, Due } from './claim.ts'

/** How often a process looks for jobs that others have stored, and for what is due earlier than it thought. */
const POLL_MS = 5_000
/** A job may be committed this much later than the time from which it is due. */
const COMMITTED_MS = 5_000
/** One place in so many is for those that stand in line, however many others there are. */
const ONE_IN = 8
/** One claim asks for the jobs of so many owners at most. */
const MOST_ASKED = 64

interface Owner {
  dueAt: number
  /** How often a new job was announced. A claim's answer lacks jobs announced during the claim. */
  notices: number
}

interface Picking {
  /** Owners whose jobs are due by this time take part. */
  dueBy: number
  limit: number
  /** How many more jobs of an owner may be in progress. */
  allowed(owner: string): number
}

interface Picked extends Ask {
  notices: number
}

interface Took {
  /** When the last one that was taken was due; undefined when none was. */
  last: number | undefined
  nextDue: number | undefined
  now: EpochMs
  dueBy: number
}

/**
 * Whose jobs wait in a lane, as far as this process knows: what it was told, and what it found when it looked. They take
 * turns. An owner of whom nothing waited comes before those that stand in line, so that its job does not wait for a round
 * of all of them. One place in eight is for the line all the same.
 */
export class Line {
  readonly #fresh = new Map<string, Owner>()
  readonly #standing = new Map<string, Owner>()
  /** How many places went to fresh owners since one went to the line. */
  #passed = 0
  #pollAt = Number.NEGATIVE_INFINITY
  #polledAt = 0
  /**
   * Where the last claim of an owner ended. While another transaction keeps a snapshot, such as pg_dump, PostgreSQL can't
   * remove what was claimed before from the index, and each claim would visit it again.
   */
  #ends = new Map<string, number>()

  /** New jobs have come; with no argument, jobs of anybody. */
  notify(jobs?: Iterable<Due>): void {
    if (!jobs) this.#pollAt = Number.NEGATIVE_INFINITY
    else for (const job of jobs) this.#note(job, this.#fresh).notices++
  }

  /** Whether it is time to look, as it is after the clock was set back. */
  mustPoll(now: EpochMs): boolean {
    return now >= this.#pollAt || now < this.#polledAt
  }

  polling(now: EpochMs): void {
    this.#polledAt = now
    this.#pollAt = now + POLL_MS
    this.#ends = new Map()
  }

  /** Jobs found by looking may have waited for long, so their owners stand in line. */
  found(jobs: readonly Due[]): void {
    for (const job of jobs) this.#note(job, this.#standing)
  }

  /** Whom to ask for how many jobs. */
  pick(picking: Picking): Picked[] {
    const [first, line] = [dueOf(this.#fresh, picking), dueOf(this.#standing, picking)]
    const owners: string[] = []
    for (let places = Math.min(picking.limit, MOST_ASKED); places > 0; places--) {
      const isForLine = line.length > 0 && (first.length === 0 || this.#passed >= ONE_IN - 1)
      const next = (isForLine ? line : first).shift()
      if (next === undefined) break
      owners.push(next)
      this.#passed = isForLine ? 0 : this.#passed + 1
    }
    return owners.map((owner, index) => ({
      owner,
      from: this.#ends.get(owner) ?? 0,
      // The first ones get what can't be shared evenly.
      most: Math.min(Math.ceil((picking.limit - index) / owners.length), picking.allowed(owner)),
      notices: this.#known(owner)?.notices ?? 0,
    }))
  }

  /** Notes what a claim has taken of an owner's jobs, and when the next of them is due. */
  took({ owner, notices }: Pick<Picked, 'owner' | 'notices'>, { last, nextDue, now, dueBy }: Took): void {
    const before = this.#known(owner)
    this.#fresh.delete(owner)
    this.#standing.delete(owner)
    this.#ends.set(owner, Math.min(last ?? dueBy, now - COMMITTED_MS))
    const isNoticed = before !== undefined && before.notices !== notices
    const dueAt = isNoticed ? before.dueAt : nextDue
    if (dueAt === undefined) return
    const turn = nextDue !== undefined && nextDue <= dueBy ? this.#standing : this.#fresh
    turn.set(owner, { dueAt, notices: before?.notices ?? 0 })
  }

  /** Whether a job of the owner has been due for a while, as far as is known. */
  waits(owner: string, now: EpochMs): boolean {
    return (this.#known(owner)?.dueAt ?? now + 1) <= now
  }

  /** When the next job is due that may be claimed; undefined when none is known. */
  nextDue(allowed: Picking['allowed']): number | undefined {
    let next = Number.POSITIVE_INFINITY
    for (const owners of [this.#fresh, this.#standing])
      for (const [owner, { dueAt }] of owners) if (dueAt < next && allowed(owner) > 0) next = dueAt
    return next === Number.POSITIVE_INFINITY ? undefined : next
  }

  #known(owner: string): Owner | undefined {
    return this.#fresh.get(owner) ?? this.#standing.get(owner)
  }

  #note({ owner, runAt }: Due, place: Map<string, Owner>): Owner {
    const before = this.#known(owner)
    if (before) {
      before.dueAt = Math.min(before.dueAt, runAt)
      return before
    }
    const added = { dueAt: runAt, notices: 0 }
    place.set(owner, added)
    return added
  }
}

function dueOf(owners: Map<string, Owner>, { dueBy, limit, allowed }: Picking): string[] {
  const due: string[] = []
  for (const [owner, { dueAt }] of owners) {
    if (due.length >= Math.min(limit, MOST_ASKED)) break
    if (dueAt <= dueBy && allowed(owner) > 0) due.push(owner)
  }
  return due
}
