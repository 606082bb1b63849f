import type { Clock } from '../clock.ts'
import type { Logger } from '../log.ts'
import { type Database, StoreFull } from './database.ts'
import { writeSetting } from './settings.ts'

/** How many writes there were, and how long they took together, waiting included. */
export interface WriteTimes {
  writes: number
  ms: number
}

export interface WatchedWrites {
  database: Database
  writeTimes(): WriteTimes
  /** Whether the store takes writes now: tried with a small one, at most once a second for all callers. */
  takesWrites(): Promise<boolean>
}

/** How long an answer is used again. Strangers may ask as often as they like. */
const TRIED_MS = 1_000
/** A write that takes longer would not be answered in time either. */
const PATIENCE_MS = 2_000
/** A full store may still have room for the small write of the probe, so its refusals of others count for a while. */
const FULL_MS = 10_000

/** Watches whether the store takes writes. A change is logged. */
export function watchWrites(store: Database, { clock, log }: { clock: Clock; log: Logger }): WatchedWrites {
  let fullUntil = Number.NEGATIVE_INFINITY
  let tried: { from: number; answer: Promise<boolean> } | undefined
  let writing: Promise<boolean> | undefined
  let before = true
  const times = { writes: 0, ms: 0 }

  async function tries(): Promise<boolean> {
    const { promise: late, resolve } = Promise.withResolvers<boolean>()
    const cancel = clock.after(PATIENCE_MS, () => resolve(false))
    // One that hangs is not joined by more of them.
    writing ??= store
      .write((tx) => writeSetting(tx, 'write_probe', String(clock.now())), { lockWaitMs: PATIENCE_MS })
      .then(
        () => true,
        () => false,
      )
      .finally(() => {
        writing = undefined
      })
    const taken = await Promise.race([writing, late])
    cancel()
    return taken
  }

  function told(now: boolean): boolean {
    if (now !== before) {
      if (now) log.warn('the store takes writes again; /readyz answers 200')
      else log.error('the store takes no writes; /readyz answers 503 until it does')
    }
    before = now
    return now
  }

  return {
    database: {
      ...store,
      async write(work, options) {
        const from = performance.now()
        try {
          return await store.write(work, options)
        } catch (error) {
          if (error instanceof StoreFull) fullUntil = clock.elapsed() + FULL_MS
          throw error
        } finally {
          times.writes++
          times.ms += performance.now() - from
        }
      },
    },
    writeTimes: () => times,
    async takesWrites() {
      const elapsed = clock.elapsed()
      if (tried === undefined || elapsed - tried.from >= TRIED_MS) tried = { from: elapsed, answer: tries() }
      const taken = await tried.answer
      return told(taken && clock.elapsed() >= fullUntil)
    },
  }
}
