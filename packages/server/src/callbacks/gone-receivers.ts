/** A receiver is gone when this many of its answers in a row were 410: one may be about one path alone. */
const GONE_AFTER = 3
/** How long it is left alone then; twice as long after each 410 that follows, up to a limit. */
const FIRST_PAUSE_MS = 5_000
const LONGEST_PAUSE_MS = 300_000
/** At most this many receivers are remembered; then all of them get another chance. */
const MOST_REMEMBERED = 10_000

/** What a receiver answered lately. */
interface Gone {
  inARow: number
  pauseMs: number
  /** By the elapsed time of this process. */
  until: number
  /** Whether the one post that asks again is under way. */
  asking: boolean
}

/** A receiver is a host for one account: what it answers to one customer says nothing about others. */
export interface GoneReceivers {
  /** Whether a callback may be posted to a receiver now. If so, {@link answered} must follow. */
  mayPost(receiver: string): boolean
  answered(receiver: string, isGone: boolean): void
  /** How much longer a receiver is left alone. */
  pauseMs(receiver: string): number
}

/**
 * Leaves receivers alone that keep answering 410 Gone. After a pause one post asks again: another 410 doubles the pause,
 * and any other result ends it.
 */
export function createGoneReceivers(elapsed: () => number): GoneReceivers {
  const known = new Map<string, Gone>()
  return {
    mayPost(receiver) {
      const gone = known.get(receiver)
      if (!gone || gone.inARow < GONE_AFTER) return true
      if (gone.asking || elapsed() < gone.until) return false
      gone.asking = true
      return true
    },
    answered(receiver, isGone) {
      if (!isGone) return void known.delete(receiver)
      if (known.size >= MOST_REMEMBERED) known.clear()
      const before = known.get(receiver) ?? { inARow: 0, pauseMs: FIRST_PAUSE_MS / 2, until: 0 }
      // Posts that were under way when the pause began don't make it longer.
      if (elapsed() < before.until) return
      const inARow = before.inARow + 1
      const isPaused = inARow >= GONE_AFTER
      const pauseMs = isPaused ? Math.min(2 * before.pauseMs, LONGEST_PAUSE_MS) : before.pauseMs
      known.set(receiver, { inARow, pauseMs, until: isPaused ? elapsed() + pauseMs : 0, asking: false })
    },
    pauseMs: (receiver) => Math.max(0, (known.get(receiver)?.until ?? 0) - elapsed()),
  }
}
