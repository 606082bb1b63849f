export interface SocketSlots {
  /** Resolves to false when no slot became free in time. */
  acquire(host: string, timeoutMs: number): Promise<boolean>
  release(host: string): void
}

interface Waiter {
  host: string
  answer(granted: boolean): void
}

/**
 * Limits concurrent requests, per host and in total. Node's agent has such limits too, but with one shared queue: a
 * host at its limit blocks all the others. Here a slow receiver delays only itself.
 */
export function createSocketSlots(perHost: number, inAll: number): SocketSlots {
  const taken = new Map<string, number>()
  const waiting = new Set<Waiter>()
  let total = 0

  const hasRoom = (host: string): boolean => total < inAll && (taken.get(host) ?? 0) < perHost

  function take(host: string): void {
    total += 1
    taken.set(host, (taken.get(host) ?? 0) + 1)
  }

  function acquire(host: string, timeoutMs: number): Promise<boolean> {
    if (hasRoom(host)) {
      take(host)
      return Promise.resolve(true)
    }
    return new Promise((resolve) => {
      const timer = setTimeout(() => waiter.answer(false), timeoutMs)
      const waiter: Waiter = {
        host,
        answer(granted) {
          clearTimeout(timer)
          waiting.delete(waiter)
          resolve(granted)
        },
      }
      waiting.add(waiter)
    })
  }

  function release(host: string): void {
    total -= 1
    const left = (taken.get(host) ?? 1) - 1
    if (left === 0) taken.delete(host)
    else taken.set(host, left)
    admitNext()
  }

  /** Admits the longest-waiting request whose host is below its limit. One release admits at most one request. */
  function admitNext(): void {
    for (const waiter of waiting) {
      if (!hasRoom(waiter.host)) continue
      take(waiter.host)
      waiter.answer(true)
      return
    }
  }

  return { acquire, release }
}
