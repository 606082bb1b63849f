/** The pauses between two tries: short at first, for most locks are held for a moment. */
const SHORTEST_MS = 5
const LONGEST_MS = 50

/**
 * Tries again while another process holds the lock. The engine's own waiting would put the whole thread to sleep;
 * between these tries the event loop goes on. A lock that has lasted for `mostMs` fails all that wait for it. From then
 * on new callers fail at their first try, until a try succeeds.
 */
export function createLockWait(isLocked: (error: unknown) => boolean, mostMs: number) {
  let refused: { first: number; last: number } | undefined

  /** For how long every try was refused. After a longer gap between two tries it may be another lock. */
  function lockedFor(): number {
    const now = performance.now()
    refused = { first: refused && now - refused.last < mostMs ? refused.first : now, last: now }
    return now - refused.first
  }

  return async function whenUnlocked<T>(attempt: () => T | Promise<T>): Promise<T> {
    for (let pause = SHORTEST_MS; ; pause = Math.min(2 * pause, LONGEST_MS)) {
      try {
        const result = await attempt()
        refused = undefined
        return result
      } catch (error) {
        if (!isLocked(error) || lockedFor() >= mostMs) throw error
      }
      await new Promise((resolve) => setTimeout(resolve, pause))
    }
  }
}
