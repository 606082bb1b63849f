import type { MessageState } from '../receipt.ts'

export interface KeptMessage {
  source: string
  /** The state that a query finds from `finalAt` on; undefined when it never gets one. */
  state: MessageState | undefined
  finalAt: number
}

/** The messages that can be asked for by query_sm, and how often each text was taken. Both are bounded. */
export interface Messages {
  keep(id: string, message: KeptMessage): void
  find(id: string): KeptMessage | undefined
  /** Counts a text to a recipient. Returns how often it was taken until now. */
  count(key: string): number
}

const MOST_KEPT = 100_000

export function createMessages(): Messages {
  const kept = new Map<string, KeptMessage>()
  const counts = new Map<string, number>()
  return {
    keep(id, message) {
      kept.set(id, message)
      dropOldest(kept)
    },
    find: (id) => kept.get(id),
    count(key) {
      const times = (counts.get(key) ?? 0) + 1
      counts.set(key, times)
      dropOldest(counts)
      return times
    },
  }
}

function dropOldest(map: Map<string, unknown>): void {
  if (map.size <= MOST_KEPT) return
  for (const oldest of map.keys()) {
    map.delete(oldest)
    return
  }
}
