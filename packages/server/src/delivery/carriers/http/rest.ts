import type { Clock } from '../../../kernel/process/clock.ts'
import { backoff, MINUTE_MS } from '../../../kernel/time/spans.ts'

const SHORTEST_MS = 1_000
const LONGEST_MS = 30_000
/** A provider that asks for more time than this is asked again sooner. */
const LONGEST_ASKED_MS = 5 * MINUTE_MS

/** The times in which a carrier is left alone. */
export class Rest {
  readonly #clock: Clock
  readonly #onEnd: () => void
  #now: { kind: 'resting' | 'away'; reason: string; until: number } | undefined
  #cancel = () => {}
  #inARow = 0
  #outage: string | undefined
  #count = 0

  constructor(clock: Clock, onEnd: () => void) {
    this.#clock = clock
    this.#onEnd = onEnd
  }

  /** Undefined while it does not rest. */
  current(): { kind: 'resting' | 'away'; reason: string; leftMs: number } | undefined {
    return this.#now && { ...this.#now, leftMs: Math.max(0, this.#now.until - this.#clock.elapsed()) }
  }

  /** Why it was away, until something has been heard from it. */
  get outage(): string | undefined {
    return this.#outage
  }

  /** How many rests there were. */
  get count(): number {
    return this.#count
  }

  /** Rests twice as long as the time before, and at least `atLeastMs`. */
  begin(kind: 'resting' | 'away', reason: string, atLeastMs: number): void {
    this.#outage = kind === 'away' ? reason : undefined
    const asked = Math.min(atLeastMs, LONGEST_ASKED_MS)
    if (this.#now !== undefined) {
      // Requests that were under way together count as one.
      this.#now.until = Math.max(this.#now.until, this.#clock.elapsed() + asked)
      return
    }
    this.#inARow += 1
    const ms = Math.max(backoff(this.#inARow, SHORTEST_MS, LONGEST_MS), asked)
    this.#count += 1
    this.#now = { kind, reason, until: this.#clock.elapsed() + ms }
    this.#wakeAfter(ms)
  }

  /** It works: the next rest is a short one again. */
  worked(): void {
    this.#outage = undefined
    if (this.#now === undefined) this.#inARow = 0
  }

  stop(): void {
    this.#cancel()
  }

  #wakeAfter(ms: number): void {
    this.#cancel = this.#clock.after(Math.ceil(ms), () => this.#wake())
  }

  #wake(): void {
    const leftMs = this.#now === undefined ? 0 : this.#now.until - this.#clock.elapsed()
    if (leftMs > 0) {
      this.#wakeAfter(leftMs)
      return
    }
    this.#now = undefined
    this.#onEnd()
  }
}
