export interface SocketSlots {
  /** Resolves to false when no slot became free in time. */
  acquire(): Promise<boolean>
  release(): void
}

/** Limits concurrent requests. Those that wait get their slots in the order in which they came. */
export function createSocketSlots(most: number, waitMs: number | undefined): SocketSlots {
  const waiting = new Set<(granted: boolean) => void>()
  let taken = 0

  function acquire(): Promise<boolean> {
    if (taken < most) {
      taken += 1
      return Promise.resolve(true)
    }
    return new Promise((resolve) => {
      const timer = waitMs === undefined ? undefined : setTimeout(() => answer(false), waitMs)
      const answer = (granted: boolean) => {
        clearTimeout(timer)
        waiting.delete(answer)
        resolve(granted)
      }
      waiting.add(answer)
    })
  }

  /** Passes the slot on to the request that has waited longest. */
  function release(): void {
    const [next] = waiting
    if (next === undefined) taken -= 1
    else next(true)
  }

  return { acquire, release }
}
