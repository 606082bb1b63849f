import type { Notices } from './database/database.ts'

/** Tells pages that something of a wallet has changed: a message, a callback or its money. Never what. */
export interface Changes {
  /** Call it after the commit. Costs an entry in a set: everything else happens later, together with other notes. */
  note(walletId: string): void
  /**
   * Calls `hear` soon after each change of a wallet, made here or by another process, until the returned function is
   * called. Also when changes may have been missed, so look at what is there and count nothing.
   */
  listen(walletId: string, hear: () => void): () => void
  /** Passes on what is noted, and stops listening. */
  close(): Promise<void>
}

export interface ChangesOptions {
  /** Where other processes use the same store. */
  notices: Notices | undefined
  /** Called when notes could not be passed on to other processes, once until they can again. */
  onFault(error: unknown): void
  /** Changes are passed on at most this often. */
  everyMs?: number
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
    const walletIds = [...noted]
    noted.clear()
    tell(walletIds)
    if (!notices) return
    for (const id of walletIds) unsent.add(id)
    if (unsent.size > 0) sending ??= sendTo(notices)
  }

  function tell(walletIds: Iterable<string>): void {
    for (const id of walletIds) for (const hear of listeners.get(id) ?? []) hear()
  }

  async function sendTo(others: Notices): Promise<void> {
    const walletIds = [...unsent]
    unsent.clear()
    try {
      await others.send(walletIds)
      failing = false
    } catch (error) {
      if (!failing) onFault(error)
      failing = true
      for (const id of walletIds) unsent.add(id)
    }
    sending = undefined
    if (unsent.size > 0) passOnIn(failing ? AGAIN_MS : everyMs)
  }

  function passOnIn(ms: number): void {
    timer ??= setTimeout(passOn, ms).unref()
  }

  return {
    note(walletId) {
      if (!notices && listeners.size === 0) return
      noted.add(walletId)
      if (timer === undefined) passOnIn(Math.max(0, lastAt + everyMs - performance.now()))
    },

    listen(walletId, hear) {
      clearTimeout(linger)
      stopHearing ??= notices?.listen(tell, () => tell(listeners.keys()))
      const heard = listeners.get(walletId) ?? new Set()
      listeners.set(walletId, heard.add(hear))
      return () => {
        heard.delete(hear)
        if (heard.size === 0 && listeners.get(walletId) === heard) listeners.delete(walletId)
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
