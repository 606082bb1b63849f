import type { Notices } from './database/database.ts'

/** Tells pages that something of a topic, such as a wallet, has changed. Never what. */
export interface Changes {
  /** Call it after the commit. Costs an entry in a set: everything else happens later, together with other notes. */
  note(topic: string): void
  /**
   * Calls `hear` soon after each change of a topic, made here or by another process, until the returned function is
   * called. Also when changes may have been missed, so look at what is there and count nothing.
   */
  listen(topic: string, hear: () => void): () => void
  /** Passes on what is noted, and stops listening. */
  close(): Promise<void>
}

export interface ChangesOptions {
  /** Where other processes use the same store. */
  notices: Notices | undefined
  /** Called when notes could not be passed on to other processes, once until they can again. */
  onFault(error: unknown): void
  /** Changes are passed on at most this often. */
  everyMs?: number | undefined
  /** How long the connection to other processes stays open without a listener: people go from page to page. */
  lingerMs?: number
}

const EVERY_MS = 200
const LINGER_MS = 10_000
const AGAIN_MS = 2_000

/** Times are real ones and not the injected clock's: tests that move time must not affect when pages are told. */
export function createChanges(options: ChangesOptions): Changes {
  const { notices, onFault, everyMs = EVERY_MS, lingerMs = LINGER_MS } = options
  const listeners = new Map<string, Set<() => void>>()
  const noted = new Set<string>()
  /** What other processes have not been told yet. */
  const unsent = new Set<string>()
  let timer: NodeJS.Timeout | undefined
  let lastAt = Number.NEGATIVE_INFINITY
  let sending: Promise<void> | undefined
  let failing = false
  let stopHearing: (() => void) | undefined
  let linger: NodeJS.Timeout | undefined

  function passOn(): void {
    timer = undefined
    lastAt = performance.now()
    const topics = [...noted]
    noted.clear()
    tell(topics)
    if (!notices) return
    for (const topic of topics) unsent.add(topic)
    if (unsent.size > 0) sending ??= sendTo(notices)
  }

  function tell(topics: Iterable<string>): void {
    for (const topic of topics) for (const hear of listeners.get(topic) ?? []) hear()
  }

  async function sendTo(others: Notices): Promise<void> {
    const topics = [...unsent]
    unsent.clear()
    try {
      await others.send(topics)
      failing = false
    } catch (error) {
      if (!failing) onFault(error)
      failing = true
      for (const topic of topics) unsent.add(topic)
    }
    sending = undefined
    if (unsent.size > 0) passOnIn(failing ? AGAIN_MS : everyMs)
  }

  function passOnIn(ms: number): void {
    timer ??= setTimeout(passOn, ms).unref()
  }

  return {
    note(topic) {
      if (!notices && listeners.size === 0) return
      noted.add(topic)
      if (timer === undefined) passOnIn(Math.max(0, lastAt + everyMs - performance.now()))
    },

    listen(topic, hear) {
      clearTimeout(linger)
      stopHearing ??= notices?.listen(tell, () => tell(listeners.keys()))
      const heard = listeners.get(topic) ?? new Set()
      listeners.set(topic, heard.add(hear))
      return () => {
        heard.delete(hear)
        if (heard.size === 0 && listeners.get(topic) === heard) listeners.delete(topic)
        if (listeners.size > 0) return
        linger = setTimeout(() => {
          stopHearing?.()
          stopHearing = undefined
        }, lingerMs).unref()
      }
    },

    async close() {
      clearTimeout(timer)
      clearTimeout(linger)
      listeners.clear()
      stopHearing?.()
      await sending
      passOn()
      await sending
      clearTimeout(timer)
    },
  }
}
