import type { Clock } from '@wigwag/contract'

/** At most one timer of each kind. */
export function createTimers<Kind extends string>(clock: Clock) {
  const cancels = new Map<Kind, () => void>()
  return {
    /** Does nothing when one of this kind runs already. */
    start(kind: Kind, delayMs: number, work: () => void): void {
      if (cancels.has(kind)) return
      const cancel = clock.after(delayMs, () => {
        cancels.delete(kind)
        work()
      })
      cancels.set(kind, cancel)
    },
    cancel(kind: Kind): void {
      cancels.get(kind)?.()
      cancels.delete(kind)
    },
  }
}
