import { backoff, MINUTE_MS } from '../time/spans.ts'
import type { Clock } from './clock.ts'

const FIRST_PAUSE_MS = 100
/** A run of so long had no trouble with its start. */
const STEADY_MS = MINUTE_MS

/** When a thread or a process that ended by itself is started again: after a pause, which doubles while its runs are short. */
export class Restarts {
  readonly #clock: Pick<Clock, 'elapsed' | 'after'>
  readonly #longestPauseMs: number
  #beganAt = 0
  #failures = 0
  #cancel: (() => void) | undefined

  constructor(clock: Pick<Clock, 'elapsed' | 'after'>, longestPauseMs: number) {
    this.#clock = clock
    this.#longestPauseMs = longestPauseMs
  }

  /** Whether a start is due after its pause. */
  get isDue(): boolean {
    return this.#cancel !== undefined
  }

  /** A run begins now. */
  begin(): void {
    this.#beganAt = this.#clock.elapsed()
  }

  /** Calls `start` after the pause, and returns how long that is. */
  again(start: () => void): number {
    if (this.#clock.elapsed() - this.#beganAt >= STEADY_MS) this.#failures = 0
    const pauseMs = backoff(++this.#failures, FIRST_PAUSE_MS, this.#longestPauseMs)
    this.#cancel = this.#clock.after(pauseMs, () => {
      this.#cancel = undefined
      start()
    })
    return pauseMs
  }

  /** Takes a start that is due back. */
  stop(): void {
    this.#cancel?.()
    this.#cancel = undefined
  }
}
