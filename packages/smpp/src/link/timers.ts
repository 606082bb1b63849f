import type { Clock } from '@wigwag/contract'

/** At most one timer of each kind. */
export class Timers<Kind extends string> {
  readonly #clock: Clock
  readonly #cancels = new Map<Kind, () => void>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Does nothing when one of this kind runs already. */
  start(kind: Kind, delayMs: number, work: () => void): void {
    if (this.#cancels.has(kind)) return
    const cancel = this.#clock.after(delayMs, () => {
      this.#cancels.delete(kind)
      work()
    })
    this.#cancels.set(kind, cancel)
  }

  cancel(kind: Kind): void {
    this.#cancels.get(kind)?.()
    this.#cancels.delete(kind)
  }
}
