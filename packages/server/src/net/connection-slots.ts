export interface ConnectionSlots {
  /** Resolves to false when no slot came free in time. */
  acquire(host: string, timeoutMs: number): Promise<boolean>
  release(host: string): void
}

interface Waiter {
  host: string
  answer(granted: boolean): void
}

/**
 * How many requests may be on the wire, to one host and in all. Node's agent has limits of its own, but its
 * queue is shared: a host at its limit sits at the head and keeps every other host waiting. Here a slow
 * receiver only ever holds up itself.
 */
export function createConnectionSlots(perHost: number, inAll: number): ConnectionSlots {
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

  /** The longest waiting request whose host has room: one release makes room for at most one. */
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
