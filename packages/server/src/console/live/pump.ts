import type { Clock } from '../../platform/clock.ts'

/** Something that is polled after a notice that it may have changed. */
export interface Served {
  /** Accounts take turns, however much each has to be served. */
  accountId: string
  /**
   * Polls, and returns how many milliseconds to wait before the next poll. When `dropped` aborts, another poll may
   * begin: this one must no longer change or send anything.
   */
  serve(dropped: AbortSignal): Promise<number>
}

/** Serves all watchers of a process one after the other, one of each account in turn, and rests in between. */
export interface Pump {
  /** Queues it; served at once if the pump is idle. */
  tell(served: Served): void
  /** Forgets it. */
  drop(served: Served): void
}

export interface PumpOptions {
  /** Called when a poll failed or was dropped. It is tried again later. */
  onFault(error: unknown): void
  /** A poll that takes longer is dropped, so that others get their turn. */
  longestPollMs?: number
  /** Real time, when left out: how much of a machine streams may take has nothing to do with the gateway's clock. */
  time?: Time | undefined
}

type Time = Pick<Clock, 'elapsed' | 'after'>

/** The pump rests this many times as long as it worked, so that streams take a sixteenth of the time at most. */
const REST = 15
/** After a poll that failed, and twice as long after each further one. */
const AGAIN_MS = 250
const LONGEST_AGAIN_MS = 8_000
const LONGEST_LOOK_MS = 5_000
/** After a poll that was dropped: what it waits for may still be held, and each poll holds a little more. */
const AGAIN_AFTER_DROPPED_MS = 30_000
/** A poll that takes longer than a fifteenth of this was waiting for something else. */
const LONGEST_REST_MS = 5_000

/** Its timers keep no process from ending. */
const REAL_TIME: Time = {
  elapsed: () => performance.now(),
  after(ms, work) {
    const timer = setTimeout(work, ms).unref()
    return () => clearTimeout(timer)
  },
}

export function createPump(options: PumpOptions): Pump {
  const { onFault, longestPollMs = LONGEST_LOOK_MS, time = REAL_TIME } = options
  /** By account, in the order of their turns. An account that was served goes to the end. */
  const waiting = new Map<string, Set<Served>>()
  /** When each may be served again. */
  const restsUntil = new WeakMap<Served, number>()
  /** How many polls of each have failed in a row. */
  const failures = new WeakMap<Served, number>()
  let running = false
  /** The one that is being served, unless it was dropped meanwhile. */
  let current: Served | undefined
  let rouse: (() => void) | undefined

  async function run(): Promise<void> {
    while (waiting.size > 0) {
      const now = time.elapsed()
      const all = [...waiting.values()].flatMap((served) => [...served])
      const ready = all.find((served) => dueAt(served) <= now)
      if (ready) await serve(ready)
      else await sleep(Math.min(...all.map(dueAt)) - now)
    }
    running = false
  }

  function add(served: Served): void {
    const { accountId } = served
    waiting.set(accountId, (waiting.get(accountId) ?? new Set()).add(served))
  }

  function remove(served: Served): void {
    const ofAccount = waiting.get(served.accountId)
    ofAccount?.delete(served)
    if (ofAccount?.size === 0) waiting.delete(served.accountId)
  }

  function toTheEnd(accountId: string): void {
    const ofAccount = waiting.get(accountId)
    if (!ofAccount) return
    waiting.delete(accountId)
    waiting.set(accountId, ofAccount)
  }

  function dueAt(served: Served): number {
    return restsUntil.get(served) ?? 0
  }

  async function serve(served: Served): Promise<void> {
    remove(served)
    toTheEnd(served.accountId)
    current = served
    const began = time.elapsed()
    const leaveMs = await poll(served).catch((error: unknown) => {
      onFault(error)
      // Pages that have just come have not been told anything yet.
      if (current === served) add(served)
      const failed = (failures.get(served) ?? 0) + 1
      failures.set(served, failed)
      return error instanceof PollDropped
        ? AGAIN_AFTER_DROPPED_MS
        : Math.min(AGAIN_MS * 2 ** (failed - 1), LONGEST_AGAIN_MS)
    })
    current = undefined
    // By then, what it has sent is written to the sockets.
    await new Promise(setImmediate)
    const worked = time.elapsed() - began
    const rest = Math.min(REST * worked, LONGEST_REST_MS)
    // After a slow poll, leaves as much time to the others.
    const share = waiting.size > 0 ? 2 * (worked + rest) : 0
    restsUntil.set(served, began + Math.max(leaveMs, share))
    await new Promise<void>((resolve) => time.after(rest, resolve))
  }

  async function poll(served: Served): Promise<number> {
    const drop = new AbortController()
    let cancel: (() => void) | undefined
    const tooLong = new Promise<never>((_, reject) => {
      cancel = time.after(longestPollMs, () => {
        const error = new PollDropped(`expected a look at a list within ${longestPollMs} ms; it was dropped`)
        drop.abort(error)
        reject(error)
      })
    })
    try {
      const leaveMs = await Promise.race([served.serve(drop.signal), tooLong])
      failures.delete(served)
      return leaveMs
    } finally {
      cancel?.()
    }
  }

  /** Waits until the next one is due, or until another one is queued. */
  async function sleep(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const cancel = time.after(ms, resolve)
      rouse = () => {
        cancel()
        resolve()
      }
    })
    rouse = undefined
  }

  return {
    tell(served) {
      if (waiting.get(served.accountId)?.has(served)) return
      add(served)
      if (running) return rouse?.()
      running = true
      void run()
    },
    drop(served) {
      remove(served)
      if (current === served) current = undefined
    },
  }
}

class PollDropped extends Error {}
