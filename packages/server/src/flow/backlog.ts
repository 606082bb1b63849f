/** About one batch. */
const FEW = 250
const LONGEST_MS = 250
/** Lately: about this much work of all owners. */
const LATELY = 20_000

/**
 * Counts the results that wait to be stored. While many do, new work waits, but for owners that bring little. Accepting
 * has the thread whenever a socket is readable, so without this it would starve what it has accepted.
 */
export class Backlog {
  readonly #few: number
  readonly #waiting = new Set<() => void>()
  #results = 0
  readonly #brought = new Map<string, number>()
  #allBrought = 0

  constructor(few = FEW) {
    this.#few = few
  }

  /** Results have come; a negative weight: they are stored. */
  add(weight: number): void {
    this.#results += weight
    if (this.#results <= this.#few) for (const goOn of this.#waiting) goOn()
  }

  /**
   * Whether an owner's new work, which counts as brought from now on, may begin; otherwise it waits until few results do.
   * An owner that brought less than half of an equal share lately is never held up by what others brought.
   */
  admits(owner: string, weight: number): boolean {
    const before = this.#brought.get(owner) ?? 0
    const bringsLittle = 2 * before * this.#brought.size <= this.#allBrought
    this.#brought.set(owner, before + weight)
    this.#allBrought += weight
    if (this.#allBrought > LATELY) this.#forget()
    return this.#results <= this.#few || bringsLittle
  }

  /** Resolves when few results wait, and at the latest after a quarter of a second. */
  async small(): Promise<void> {
    if (this.#results <= this.#few) return
    await new Promise<void>((resolve) => {
      const goOn = () => {
        clearTimeout(timer)
        this.#waiting.delete(goOn)
        resolve()
      }
      const timer = setTimeout(goOn, LONGEST_MS)
      this.#waiting.add(goOn)
    })
  }

  /** Halves what everybody brought, so that it is forgotten in time. */
  #forget(): void {
    this.#allBrought = 0
    for (const [owner, weight] of this.#brought) {
      const half = weight >> 1
      if (half === 0) this.#brought.delete(owner)
      else this.#brought.set(owner, half)
      this.#allBrought += half
    }
  }
}
