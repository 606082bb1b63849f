/** Whether the other side has stopped answering. */
export class Silence {
  readonly #elapsed: () => number
  #answeredAt = Number.NEGATIVE_INFINITY
  #isOn = false

  constructor(elapsed: () => number) {
    this.#elapsed = elapsed
  }

  /** From a request without an answer, with none to others since it left, until the next answer. */
  get isOn(): boolean {
    return this.#isOn
  }

  answered(): void {
    this.#answeredAt = this.#elapsed()
    this.#isOn = false
  }

  /** A request that left at this time has no answer. Returns whether nothing has been answered since. */
  unanswered(sentAt: number): boolean {
    const nothingSince = sentAt > this.#answeredAt
    this.#isOn ||= nothingSince
    return nothingSince
  }
}
