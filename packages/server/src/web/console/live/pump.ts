import type { Clock } from '../../../kernel/process/clock.ts'
import { backoff } from '../../../kernel/time/spans.ts'

/** A list that is polled after a notice that it may have changed. */
export interface Served {
  /** Accounts take turns, however many lists each has. */
  accountId: string
  /**
   * Polls, and returns how many milliseconds to wait before the next poll. When `dropped` aborts, another poll may
   * begin: this one must no longer change or send anything.
   */
  serve(dropped: AbortSignal): Promise<number>
}

export type PumpTime = Pick<Clock, 'elapsed' | 'after'>

/** The pump rests this many times as long as a poll took, so polls take at most a sixteenth of the time. */
const REST = 15
/** The pause after a poll that failed. It doubles with each further failure. */
const AGAIN_MS = 250
const LONGEST_AGAIN_MS = 8_000
const LONGEST_POLL_MS = 5_000
/** The pause after a dropped poll. It may still be waiting, and each further poll would wait beside it. */
const AGAIN_AFTER_DROPPED_MS = 30_000
/** Caps the rest. A poll that takes longer than a fifteenth of this was blocked, not busy. */
const LONGEST_REST_MS = 5_000

const REAL_TIME: PumpTime = {
  elapsed: () => performance.now(),
  after(ms, work) {
    const timer = setTimeout(work, ms).unref()
    return () => clearTimeout(timer)
  },
}

/** Polls all lists of a process one after the other, one of each account in turn, and rests in between. */
export class Pump {
  readonly #onFault: (error: unknown) => void
  readonly #longestPollMs: number
  readonly #time: PumpTime
  /** By account, in the order of their turns. An account that was served goes to the end. */
  readonly #waiting = new Map<string, Set<Served>>()
  /** When each may be served again. */
  readonly #restsUntil = new WeakMap<Served, number>()
  /** How many polls of each have failed in a row. */
  readonly #failures = new WeakMap<Served, number>()
  #running = false
  /** The list that is being polled, unless it was dropped meanwhile. */
  #current: Served | undefined
  #rouse: (() => void) | undefined

  constructor({
    onFault,
    longestPollMs = LONGEST_POLL_MS,
    time = REAL_TIME,
  }: {
    /** Called when a poll failed or was dropped. It is tried again later. */
    onFault(error: unknown): void
    /** A poll that takes longer is dropped, so that others get their turn. */
    longestPollMs?: number
    /** Real time unless given: the share of the machine's time must not follow a clock that a sandbox moves. */
    time?: PumpTime | undefined
  }) {
    this.#onFault = onFault
    this.#longestPollMs = longestPollMs
    this.#time = time
  }

  /** Queues a list; it is polled at once if the pump is idle. */
  tell(served: Served): void {
    if (this.#waiting.get(served.accountId)?.has(served)) return
    this.#add(served)
    if (this.#running) {
      this.#rouse?.()
      return
    }
    this.#running = true
    void this.#run()
  }

  /** Removes a list. */
  drop(served: Served): void {
    this.#remove(served)
    if (this.#current === served) this.#current = undefined
  }

  async #run(): Promise<void> {
    while (this.#waiting.size > 0) {
      const now = this.#time.elapsed()
      const all = [...this.#waiting.values()].flatMap((served) => [...served])
      const ready = all.find((served) => this.#dueAt(served) <= now)
      if (ready) await this.#serve(ready)
      else await this.#sleep(Math.min(...all.map((served) => this.#dueAt(served))) - now)
    }
    this.#running = false
  }

  #add(served: Served): void {
    const { accountId } = served
    this.#waiting.set(accountId, (this.#waiting.get(accountId) ?? new Set()).add(served))
  }

  #remove(served: Served): void {
    const ofAccount = this.#waiting.get(served.accountId)
    ofAccount?.delete(served)
    if (ofAccount?.size === 0) this.#waiting.delete(served.accountId)
  }

  #toTheEnd(accountId: string): void {
    const ofAccount = this.#waiting.get(accountId)
    if (!ofAccount) return
    this.#waiting.delete(accountId)
    this.#waiting.set(accountId, ofAccount)
  }

  #dueAt(served: Served): number {
    return this.#restsUntil.get(served) ?? 0
  }

  async #serve(served: Served): Promise<void> {
    this.#remove(served)
    this.#toTheEnd(served.accountId)
    this.#current = served
    const began = this.#time.elapsed()
    const leaveMs = await this.#poll(served).catch((error: unknown) => {
      this.#onFault(error)
      // Pages that joined before this poll still wait for their first answer.
      if (this.#current === served) this.#add(served)
      const failed = (this.#failures.get(served) ?? 0) + 1
      this.#failures.set(served, failed)
      return error instanceof PollDropped
        ? AGAIN_AFTER_DROPPED_MS
        : backoff(failed, AGAIN_MS, LONGEST_AGAIN_MS)
    })
    this.#current = undefined
    // Writing to the sockets belongs to the work.
    await new Promise(setImmediate)
    const worked = this.#time.elapsed() - began
    const rest = Math.min(REST * worked, LONGEST_REST_MS)
    // While others wait, a slow list is polled half of the time at most.
    const share = this.#waiting.size > 0 ? 2 * (worked + rest) : 0
    this.#restsUntil.set(served, began + Math.max(leaveMs, share))
    await new Promise<void>((resolve) => this.#time.after(rest, resolve))
  }

  async #poll(served: Served): Promise<number> {
    const drop = new AbortController()
    const longestMs = this.#longestPollMs
    let cancel: (() => void) | undefined
    const tooLong = new Promise<never>((_, reject) => {
      cancel = this.#time.after(longestMs, () => {
        const error = new PollDropped(`expected a look at a list within ${longestMs} ms; it was dropped`)
        drop.abort(error)
        reject(error)
      })
    })
    try {
      const leaveMs = await Promise.race([served.serve(drop.signal), tooLong])
      this.#failures.delete(served)
      return leaveMs
    } finally {
      cancel?.()
    }
  }

  /** Waits until the next list is due, or until another one is queued. */
  async #sleep(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const cancel = this.#time.after(ms, resolve)
      this.#rouse = () => {
        cancel()
        resolve()
      }
    })
    this.#rouse = undefined
  }
}

class PollDropped extends Error {}
