import type { LinkOptions } from './link-options.ts'

const LONGEST_PAUSE_MS = 60_000
const STEADY_MS = 30_000

/**
 * How long to wait before the next dial: longer each time, until a connection has lasted, or a message was taken on it. A
 * carrier that ends each connection soon after the bind would be dialled without a rest otherwise; one that hangs up now
 * and then has nothing to wait for.
 */
export class Backoff {
  readonly #options: Pick<LinkOptions, 'clock' | 'random' | 'reconnectMs'>
  #failures = 0
  #boundAt = Infinity

  constructor(options: Pick<LinkOptions, 'clock' | 'random' | 'reconnectMs'>) {
    this.#options = options
  }

  bound(): void {
    this.#boundAt = this.#options.clock.elapsed()
  }

  /** The carrier has taken a message. */
  worked(): void {
    this.#failures = 0
  }

  /** The connection has ended, bound or not. Returns the milliseconds to wait. */
  ended(): number {
    const { clock, random, reconnectMs } = this.#options
    if (clock.elapsed() - this.#boundAt >= STEADY_MS) this.#failures = 0
    this.#boundAt = Infinity
    const pause = Math.min(reconnectMs * 2 ** Math.min(this.#failures++, 16), LONGEST_PAUSE_MS)
    // Less a random part, so that many links do not come back at the same moment.
    return pause * (0.5 + random() / 2)
  }
}
