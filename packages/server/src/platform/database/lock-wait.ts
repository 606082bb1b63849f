/** The first pause between two tries. Later ones double, because most locks are brief. */
const SHORTEST_MS = 5
const LONGEST_MS = 50

/**
 * Retries while another process holds the lock. The engine's own wait would block the thread; this one lets the event
 * loop run. Once a lock has lasted `mostMs`, all waiters fail, and new callers fail on their first try until one
 * succeeds.
 */
export function createLockWait(isLocked: (error: unknown) => boolean, mostMs: number) {
  let refused: { first: number; last: number } | undefined

  /** How long every try has failed. After a long gap between two tries it restarts: it may be another lock. */
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
