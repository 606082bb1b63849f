import { MINUTE_MS, SECOND_MS } from '../../kernel/time/spans.ts'
import type { CarrierState } from '../carrier.ts'

/** How often and how long a carrier rested in the last minutes, because it asked for fewer messages. */
export interface Rested {
  times: number
  ms: number
}

/** The minutes that count. */
export const RESTED_WITHIN_MS = 5 * MINUTE_MS
const STEP_MS = 10 * SECOND_MS

/**
 * Counts a carrier's rests of the last minutes. A rest is short, and one after the other may leave half of the time: the
 * state now says little. How long they were is as exact as the looks are frequent.
 */
export class Throttling {
  /** The counts at some times, the oldest first. */
  #marks: { at: number; times: number; ms: number }[] = []
  #last: { at: number; isResting: boolean; times: number } | undefined
  #ms = 0

  /** `at` is by a clock that is never set back. */
  look({ kind, rests: times }: Pick<CarrierState, 'kind' | 'rests'>, at: number): Rested {
    const last = this.#last
    if (last?.isResting) this.#ms += at - last.at
    // It was opened, or opened again: then it has counted from 0.
    if (!last || times < last.times) this.#marks = [{ at, times: 0, ms: this.#ms }]
    const newest = this.#marks.at(-1)
    if (newest && at - newest.at >= STEP_MS) this.#marks.push({ at, times, ms: this.#ms })
    while ((this.#marks[1]?.at ?? at) <= at - RESTED_WITHIN_MS) this.#marks.shift()
    this.#last = { at, isResting: kind === 'resting', times }
    const [oldest = { times, ms: this.#ms }] = this.#marks
    const ms = Math.min(RESTED_WITHIN_MS, this.#ms - oldest.ms)
    return { times: times - oldest.times, ms: Math.round(ms / SECOND_MS) * SECOND_MS }
  }
}
