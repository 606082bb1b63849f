import { type EpochMs, type Ticket, timeOfTicket } from '../../kernel/ids.ts'
import type { Clock } from '../../kernel/process/clock.ts'
import { MINUTE_MS } from '../../kernel/time/spans.ts'
import type { Database, Tx } from '../../store/database.ts'
import { claimSetting, readSetting, replaceSetting } from '../../store/settings.ts'
import { SLICE } from '../../store/slices.ts'

/** Jobs wait this much longer after a smaller step. Measuring the time of PostgreSQL is not exact on a busy machine. */
const LEAST_MS = 5_000
/** Decisions from before the step may be stored only now, so jobs are planned again after these times. */
const AGAIN_MS = [1_000, 5_000, 30_000]
/** It was decided at most this long before the clock was set back. */
const DECIDED_MS = MINUTE_MS
/** The lease of a process that died before the clock was set back ends after this time. Living holders renew theirs. */
const LONGEST_LEASE_MS = MINUTE_MS

/**
 * Notices, before a claim, that the clock was set back, and plans waiting jobs anew, once for all processes. A job that was
 * due, or would be tried again in a second, would else wait until the clock has caught up: for three days, if it had been
 * three days ahead.
 */
export class SetBacks {
  readonly #database: Database
  readonly #clock: Clock
  readonly #onSetBack: (byMs: number) => void
  /** How far the clock was ahead of the counter that can't be set. */
  #ahead: number | undefined
  #again: { from: number; byMs: number; beyond: number }[] = []
  #following: Promise<void> | undefined
  /** The recorded text, as far as this process knows. */
  #known: string | undefined

  constructor(database: Database, clock: Clock, onSetBack: (byMs: number) => void) {
    this.#database = database
    this.#clock = clock
    this.#onSetBack = onSetBack
  }

  /** Resolves when the clock can be relied on. Calls `forget` once for each time that jobs were planned anew. */
  async follow(forget: () => void): Promise<void> {
    while (!this.#isFollowed() || this.#isLate()) {
      this.#following ??= (this.#isFollowed() ? this.#pollAgain() : this.#look()).finally(() => {
        this.#following = undefined
        forget()
      })
      await this.#following
    }
  }

  async #look(): Promise<void> {
    const now = this.#clock.now()
    const elapsed = this.#clock.elapsed()
    const latest = now - elapsed
    const { newest, text } = await this.#database.read(stateOf)
    const last = text === undefined ? undefined : (JSON.parse(text) as SetBack)
    if (this.#ahead === undefined) this.#known = text
    const byMs = Math.ceil(this.#ahead === undefined ? timeBefore(newest, last) - now : this.#ahead - latest)
    const isHandled = text !== this.#known && last !== undefined && Math.abs(last.byMs - byMs) < LEAST_MS
    // The process that noticed it may have died before it looked again.
    if (this.#ahead === undefined && last && now < last.to + last.byMs)
      this.#pollAfter(last, elapsed - (now - last.to))
    // The process that planned it may have died. If not, it leaves the rest to this one.
    if (last?.after === undefined) this.#known = text
    else await this.#planOn(last, now)
    if (byMs < LEAST_MS || isHandled) {
      this.#ahead = latest
      return
    }
    const step: SetBack = { byMs, to: now, until: Math.max(now + byMs, last?.until ?? 0), after: '' }
    // Another process that noticed it at the same time was first: looks at what that has recorded.
    if (!(await this.#database.write((tx) => record(tx, this.#known, step)))) return this.#look()
    this.#onSetBack(byMs)
    await this.#planOn(step, now)
    this.#pollAfter(step, elapsed)
    this.#ahead = latest
  }

  /** Plans what is left of a step. Ends early when another process goes on with it. */
  async #planOn({ after: first = '', ...done }: SetBack, now: EpochMs): Promise<void> {
    let after: string | undefined = first
    while (after !== undefined) {
      const from: SetBack = { ...done, after }
      const to: SetBack = await this.#database
        .write(async (tx) => {
          const last = await planSliceEarlier(tx, { byMs: done.byMs, now, beyond: now }, from.after ?? '')
          const step: SetBack = last === undefined ? done : { ...done, after: last }
          if (!(await record(tx, JSON.stringify(from), step))) throw new TakenOver()
          return step
        })
        .catch((error: unknown) => {
          if (error instanceof TakenOver) return done
          throw error
        })
      this.#known = JSON.stringify(to)
      after = to.after
    }
  }

  #pollAfter({ byMs, to }: SetBack, elapsed: number): void {
    this.#again = AGAIN_MS.map((ms) => ({ from: elapsed + ms, byMs, beyond: to + byMs - DECIDED_MS }))
  }

  #isLate(): boolean {
    const [next] = this.#again
    return next !== undefined && this.#clock.elapsed() >= next.from
  }

  async #pollAgain(): Promise<void> {
    const now = this.#clock.now()
    const [late] = this.#again
    if (late) await planEarlier(this.#database, { ...late, now, beyond: Math.max(now, late.beyond) })
    const elapsed = this.#clock.elapsed()
    this.#again = this.#again.filter(({ from }) => from > elapsed)
  }

  #isFollowed(): boolean {
    if (this.#ahead === undefined) return false
    const latest = this.#clock.now() - this.#clock.elapsed()
    this.#ahead = Math.max(this.#ahead, latest)
    return this.#ahead - latest < LEAST_MS
  }
}

/** The last step back, in the database: it is handled once, by the process that notices it first. */
interface SetBack {
  byMs: number
  /** The time after the step. */
  to: number
  /** Jobs may have been made by a clock that was ahead until this time. */
  until: number
  /** Jobs behind this one are still to be planned anew; undefined when all are. */
  after?: string
}

class TakenOver extends Error {}

/** When the newest job was made, 0 when there is none, and the recorded step. */
async function stateOf(tx: Tx): Promise<{ newest: number; text: string | undefined }> {
  const [row] = await tx.run<{ id: Ticket | null }>('SELECT max(id) AS id FROM outbox', [])
  return {
    newest: row?.id ? (timeOfTicket(row.id) ?? 0) : 0,
    text: await readSetting(tx, 'clock_set_back'),
  }
}

/**
 * The latest time that is known to have been, for a process that starts: the clock may have been set back while none ran.
 * Tickets keep the time of a wrong clock until the right one has caught up, which says nothing when that is handled.
 */
function timeBefore(newest: number, last: SetBack | undefined): number {
  return last && newest <= last.until + DECIDED_MS ? last.to : newest
}

/** Records a step in place of the text that was read. False when another process has recorded something meanwhile. */
function record(tx: Tx, from: string | undefined, step: SetBack): Promise<boolean> {
  const to = JSON.stringify(step)
  if (from === undefined) return claimSetting(tx, 'clock_set_back', to)
  return replaceSetting(tx, 'clock_set_back', { from, to })
}

interface Earlier {
  byMs: number
  now: EpochMs
  /** Jobs that are planned for a later time than this are planned anew. */
  beyond: number
}

async function planEarlier(database: Database, earlier: Earlier): Promise<void> {
  let last: string | undefined = ''
  while (last !== undefined) {
    const after: string = last
    last = await database.write((tx) => planSliceEarlier(tx, earlier, after))
  }
}

/** Returns the last id of the slice; undefined when there are no more. Schedules are times that people chose, and stay. */
async function planSliceEarlier(
  { run, locks }: Tx,
  { byMs, now, beyond }: Earlier,
  after: string,
): Promise<string | undefined> {
  const leaseEnd = now + LONGEST_LEASE_MS
  const rows = await run<{ id: string }>(
    `WITH late AS MATERIALIZED (
       SELECT id FROM outbox WHERE id > $1 AND kind <> 'scheduled' AND (run_at > $2 OR lease_until > $3)
       ORDER BY id LIMIT ${SLICE} ${locks.forUpdate})
     UPDATE outbox SET
       run_at = CASE WHEN run_at <= $4 THEN run_at WHEN run_at <= $5 THEN $6 ELSE run_at - $7 END,
       lease_until = CASE WHEN lease_until > $8 THEN $9 ELSE lease_until END
     WHERE id IN (SELECT id FROM late) RETURNING id`,
    [after, beyond, leaseEnd, beyond, now + byMs, now, byMs, leaseEnd, leaseEnd],
  )
  if (rows.length < SLICE) return undefined
  return rows.map(({ id }) => id).reduce((one, other) => (other > one ? other : one))
}
