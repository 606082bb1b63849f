/** How many callbacks a receiver may have under way that has let the last one run out of time. */
const MOST_FOR_A_SILENT_ONE = 8
/** Receivers that are remembered as silent, at the most: after that, they get their chance again. */
const MOST_REMEMBERED = 10_000

export interface ReceiverShare {
  /** Takes a place for a callback to a host; false when the host has to wait for its own callbacks first. */
  take(host: string): boolean
  /** Gives the place back, and says whether the host answered in time. */
  give(host: string, answered: boolean): void
}

/**
 * Keeps receivers that never answer from taking all the room there is: each of their callbacks takes it until its
 * time is up, so a few dozen a second would leave none to anybody else.
 */
export function createReceiverShare(): ReceiverShare {
  const underWay = new Map<string, number>()
  const silent = new Set<string>()
  return {
    take(host) {
      const taken = underWay.get(host) ?? 0
      if (taken >= MOST_FOR_A_SILENT_ONE && silent.has(host)) return false
      underWay.set(host, taken + 1)
      return true
    },
    give(host, answered) {
      const left = (underWay.get(host) ?? 1) - 1
      if (left > 0) underWay.set(host, left)
      else underWay.delete(host)
      if (silent.size >= MOST_REMEMBERED) silent.clear()
      if (answered) silent.delete(host)
      else silent.add(host)
    },
  }
}
