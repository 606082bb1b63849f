import type { Clock } from '../kernel/process/clock.ts'

/** Does the same work again and again, a while after it has ended. A failure is told, and the next time comes all the same. */
export class Repeating {
  readonly #clock: Pick<Clock, 'after'>
  readonly #own: { everyMs: number; work(): Promise<void>; onFault(error: unknown): void }
  #isStopped = true
  #working: Promise<void> | undefined
  #cancel = () => {}

  constructor(
    clock: Pick<Clock, 'after'>,
    own: { everyMs: number; work(): Promise<void>; onFault(error: unknown): void },
  ) {
    this.#clock = clock
    this.#own = own
  }

  /** The first time is after the first pause. */
  start(): void {
    this.#isStopped = false
    this.#workLater()
  }

  /** Whether it waits for its next time, or has been stopped. */
  idle(): boolean {
    return this.#working === undefined
  }

  /** Resolves when the work under way is done. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.#cancel()
    await this.#working
  }

  #workLater(): void {
    const { everyMs, work, onFault } = this.#own
    this.#cancel = this.#clock.after(everyMs, () => {
      this.#working = work()
        .catch(onFault)
        .finally(() => {
          this.#working = undefined
          if (!this.#isStopped) this.#workLater()
        })
    })
  }
}
