import type { Clock } from '../../kernel/process/clock.ts'

/** `later`: why nothing is sent now. */
export type Turn = { kind: 'go' } | { kind: 'later'; reason: string }

interface Waiter {
  resolve(turn: Turn): void
}

/** A timer fires late by some milliseconds. Turns that were missed meanwhile are given at once, up to this long ago. */
const CATCH_UP_MS = 50

/** A request waits here at most this long. In the outbox others may come before it, and it does not count as handed over. */
const AHEAD_MS = 100

/** Gives requests their turns: no more than `window` at a time and `tps` a second. */
export class RequestTurns {
  readonly #clock: Clock
  readonly #window: number
  readonly #tps: number
  readonly #waitMs: number
  readonly #onFree: () => void
  /** Enough for the caller to fetch more: that has a price. */
  readonly #enough: number
  readonly #waiting = new Set<Waiter>()
  #running = 0
  #nextAt = Number.NEGATIVE_INFINITY
  #isTimed = false
  /** Whether the caller has seen that no turn is free, so that it waits to be told. */
  #isFull = false

  constructor(own: {
    clock: Clock
    /** Requests at a time. */
    window: number
    /** Requests a second; 0 for no limit. */
    tps: number
    /** How long a request may wait for its turn. */
    waitMs: number
    /** Called when a good part of the turns is free again, after a caller saw that none was. */
    onFree(): void
  }) {
    const { window, tps } = own
    this.#clock = own.clock
    this.#window = window
    this.#tps = tps
    this.#waitMs = own.waitMs
    this.#onFree = own.onFree
    this.#enough = Math.max(1, Math.min(window, tps === 0 ? window : (tps * AHEAD_MS) / 1_000) / 4)
  }

  /** How many more requests would get a turn at once, or as good as that. */
  free(): number {
    const free = this.#soon()
    // The mark falls when the caller is told. Somebody else may ask meanwhile, such as for a report.
    if (free === 0) {
      this.#isFull = true
      this.#tell()
    }
    return free
  }

  get running(): number {
    return this.#running
  }

  /** Whether nothing runs or waits for its turn. */
  get isIdle(): boolean {
    return this.#running + this.#waiting.size === 0
  }

  /** Waits for a turn. A caller that may go must call `leave` afterwards. */
  enter(): Promise<Turn> {
    return new Promise((resolve) => {
      const late = this.#clock.after(this.#waitMs, () =>
        waiter.resolve({ kind: 'later', reason: 'the carrier is busy' }),
      )
      const waiter: Waiter = {
        resolve: (turn) => {
          this.#waiting.delete(waiter)
          late()
          resolve(turn)
        },
      }
      this.#waiting.add(waiter)
      this.#pump()
    })
  }

  leave(): void {
    this.#running -= 1
    this.#pump()
  }

  /** Tells those that wait to come later. */
  sendAway(reason: string): void {
    for (const waiter of this.#waiting) waiter.resolve({ kind: 'later', reason })
  }

  #pump(): void {
    for (const waiter of this.#waiting) {
      if (this.#running >= this.#window) break
      const wait = this.#untilNext()
      if (wait > 0) {
        this.#pumpAfter(wait)
        break
      }
      this.#running += 1
      waiter.resolve({ kind: 'go' })
    }
    this.#tell()
  }

  /** How many turns are free, and come soon. */
  #soon(): number {
    return Math.max(0, Math.min(this.#window - this.#running, this.#near()) - this.#waiting.size)
  }

  #near(): number {
    if (this.#tps === 0) return Number.POSITIVE_INFINITY
    const spare = AHEAD_MS - Math.max(0, this.#nextAt - this.#clock.elapsed())
    return spare < 0 ? 0 : Math.floor((spare * this.#tps) / 1_000) + 1
  }

  #tell(): void {
    if (!this.#isFull) return
    if (this.#near() === 0) this.#pumpAfter(this.#nextAt - this.#clock.elapsed() - AHEAD_MS)
    if (this.#soon() < this.#enough) return
    this.#isFull = false
    this.#onFree()
  }

  /** Milliseconds until the next turn; takes it when it is due. */
  #untilNext(): number {
    if (this.#tps === 0) return 0
    const now = this.#clock.elapsed()
    if (this.#nextAt > now) return this.#nextAt - now
    this.#nextAt = (now - this.#nextAt > CATCH_UP_MS ? now : this.#nextAt) + 1_000 / this.#tps
    return 0
  }

  #pumpAfter(ms: number): void {
    if (this.#isTimed) return
    this.#isTimed = true
    this.#clock.after(Math.ceil(ms), () => {
      this.#isTimed = false
      this.#pump()
    })
  }
}
