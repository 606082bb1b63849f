import type { MessageState } from '../receipt.ts'

export interface KeptMessage {
  source: string
  /** The state that a query finds from `finalAt` on; undefined when it never gets one. */
  state: MessageState | undefined
  finalAt: number
}

const MOST_KEPT = 100_000

/** The messages that can be asked for by query_sm, and how often each text was taken. Both are bounded. */
export class Messages {
  readonly #kept = new Map<string, KeptMessage>()
  readonly #counts = new Map<string, number>()

  keep(id: string, message: KeptMessage): void {
    this.#kept.set(id, message)
    dropOldest(this.#kept)
  }

  find(id: string): KeptMessage | undefined {
    return this.#kept.get(id)
  }

  /** Counts a text to a recipient. Returns how often it was taken until now. */
  count(key: string): number {
    const times = (this.#counts.get(key) ?? 0) + 1
    this.#counts.set(key, times)
    dropOldest(this.#counts)
    return times
  }
}

function dropOldest(map: Map<string, unknown>): void {
  if (map.size <= MOST_KEPT) return
  for (const oldest of map.keys()) {
    map.delete(oldest)
    return
  }
}
