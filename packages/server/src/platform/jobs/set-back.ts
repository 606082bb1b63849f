import { type EpochMs, type Ticket, timeOfTicket } from '../../domain/ids.ts'
import type { Clock } from '../clock.ts'
import type { Database, Tx } from '../database/database.ts'
import { SLICE } from '../database/slices.ts'
import type { JobQueue } from './queue.ts'

export interface SetBackOptions {
  database: Database
  clock: Clock
  onSetBack(byMs: number): void
}

/** Jobs wait this much longer after a smaller step. Measuring the time of PostgreSQL is not exact on a busy machine. */
const LEAST_MS = 5_000
/** What was decided before may be stored only now: it is looked for again, so many milliseconds later. */
const AGAIN_MS = [1_000, 5_000, 30_000]
/** It was decided at most this long before the clock was set back. */
const DECIDED_MS = 60_000
/** The lease of a process that died before the clock was set back ends after this time. Living holders renew theirs. */
const LONGEST_LEASE_MS = 60_000

/**
 * Notices, before a claim, that the clock was set back, and plans what waits anew. A job that was due, or would be tried
 * again in a second, would else wait until the clock has caught up: for three days, if it had been three days ahead.
 */
export function followSetBacks(queue: JobQueue, { database, clock, onSetBack }: SetBackOptions): JobQueue {
  /** How far the clock was ahead of the counter that can't be set. */
  let ahead: number | undefined
  let again: { from: number; byMs: number; beyond: number }[] = []
  let following: Promise<void> | undefined

  async function follow(): Promise<void> {
    const now = clock.now()
    const elapsed = clock.elapsed()
    const latest = now - elapsed
    const aheadBy = ahead === undefined ? (await database.read(newestJob)) - now : ahead - latest
    const byMs = Math.ceil(aheadBy)
    if (byMs >= LEAST_MS) {
      onSetBack(byMs)
      await planEarlier(database, { byMs, now, beyond: now })
      const beyond = now + byMs - DECIDED_MS
      again = AGAIN_MS.map((ms) => ({ from: elapsed + ms, byMs, beyond }))
    }
    ahead = latest
  }

  async function lookAgain(): Promise<void> {
    const now = clock.now()
    const [late] = again
    if (late) await planEarlier(database, { ...late, now, beyond: Math.max(now, late.beyond) })
    again = again.slice(1)
  }

  function isFollowed(): boolean {
    if (ahead === undefined) return false
    const latest = clock.now() - clock.elapsed()
    ahead = Math.max(ahead, latest)
    return ahead - latest < LEAST_MS
  }

  return {
    ...queue,
    async claim(lane, options) {
      const isLate = again[0] !== undefined && clock.elapsed() >= again[0].from
      if (!isFollowed() || isLate) {
        following ??= (isFollowed() ? lookAgain() : follow()).finally(() => {
          following = undefined
        })
        await following
      }
      return queue.claim(lane, options)
    },
  }
}

/** When the newest job was made; 0 when there is none. The clock may have been set back while no process ran. */
async function newestJob({ run }: Tx): Promise<number> {
  const [row] = await run<{ id: Ticket | null }>('SELECT max(id) AS id FROM outbox', [])
  return row?.id ? (timeOfTicket(row.id) ?? 0) : 0
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
