import type { EpochMs } from '../../domain/ids.ts'
import type { Job, LaneName } from './outbox.ts'

/** How often a lane is looked at from its beginning. */
const WHOLE_MS = 5_000
/** A job may be committed this much later than the time from which it is due. */
const COMMITTED_MS = 5_000

/**
 * Where the claims of each lane begin: where the last one ended. While another transaction keeps a snapshot, such as
 * pg_dump, PostgreSQL can't remove what was claimed before from the index, and each claim would visit it again. What is
 * due earlier all the same, such as a job whose lease has ended, is found when the whole lane is looked at.
 */
export function createClaimStarts() {
  const lanes = new Map<string, { at: number; wholeAt: number }>()

  function startOf({ kind, lane }: LaneName): number {
    return lanes.get(`${kind}/${lane}`)?.at ?? 0
  }

  return {
    startOf,
    /** Where a claim begins; 0 when the whole lane is to be looked at, as after the clock was set back. */
    next({ kind, lane }: LaneName, now: EpochMs): number {
      const last = lanes.get(`${kind}/${lane}`)
      return last && now >= last.wholeAt && now < last.wholeAt + WHOLE_MS ? last.at : 0
    },
    /** Notes what a claim from `from` found. */
    claimed(
      { kind, lane }: LaneName,
      jobs: readonly Job[],
      {
        from,
        now,
        dueBy = now,
        limit,
      }: { from: number; now: EpochMs; dueBy?: number | undefined; limit: number },
    ): void {
      const key = `${kind}/${lane}`
      const at = jobs.length < limit ? dueBy - COMMITTED_MS : Math.max(...jobs.map(({ runAt }) => runAt))
      lanes.set(key, { at, wholeAt: from === 0 ? now : (lanes.get(key)?.wholeAt ?? now) })
    },
  }
}
