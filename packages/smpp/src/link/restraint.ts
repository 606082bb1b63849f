import { Silence } from '@wigwag/contract'
import type { LinkOptions } from './link-options.ts'
import { Rest } from './rest.ts'

/** congestion_state of SMPP 5.0: from 90 nearly congested, at 100 congested. */
const NEARLY_CONGESTED = 90
const CONGESTED = 100

/** How much a carrier is given at a time: less while it is silent or nearly congested, and nothing while it rests. */
export class Restraint {
  readonly #window: number
  readonly #silence: Silence
  readonly #rest: Rest
  #congestion = 0

  constructor({ window, restMs, clock: { elapsed } }: Pick<LinkOptions, 'window' | 'restMs' | 'clock'>) {
    this.#window = window
    this.#silence = new Silence(elapsed)
    this.#rest = new Rest({ firstMs: restMs, elapsed })
  }

  /** Requests without an answer at a time. */
  get window(): number {
    if (this.#silence.isOn) return 1
    return this.#congestion < NEARLY_CONGESTED ? this.#window : Math.max(1, this.#window >> 1)
  }

  /** How often it rested. */
  get rests(): number {
    return this.#rest.count
  }

  /** How much of the rest is left; 0 when there is none. */
  restMs(): number {
    return this.#rest.leftMs()
  }

  /** Begins a rest, and returns how long it takes. */
  rest(): number {
    this.#rest.begin()
    return this.#rest.leftMs()
  }

  /** Takes the congestion that the carrier tells. Returns whether it is congested. */
  heed(congestion: number): boolean {
    this.#congestion = congestion
    return congestion >= CONGESTED
  }

  /** Another connection may lead to a part of the carrier that is not congested. */
  disconnected(): void {
    this.#congestion = 0
  }

  answered(): void {
    this.#silence.answered()
  }

  /** A request that was sent at this time was taken. */
  taken(sentAt: number): void {
    if (this.#congestion < CONGESTED) this.#rest.taken(sentAt)
  }

  /** A request that was sent at this time has no answer. Returns whether nothing has been answered since. */
  unanswered(sentAt: number): boolean {
    return this.#silence.unanswered(sentAt)
  }
}
