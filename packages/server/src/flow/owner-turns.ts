/** An owner's allowance for each turn. It saves up for an item that is heavier. */
const QUANTUM = 250

interface List<T> {
  entries: { item: T; weight: number }[]
  weight: number
  credit: number
  /** Whether its turn has begun, and its credit includes this turn's quantum. */
  inTurn: boolean
}

type MayGive<T> = (owner: string, list: List<T>) => boolean

/**
 * A queue with a list for each owner. Owners take turns, so that a long list delays only itself: deficit round robin. A
 * heavy item is taken when its owner has saved up for it, or when no other owner has something lighter.
 */
export class OwnerTurns<T> {
  /** In the order of their turns. */
  readonly #lists = new Map<string, List<T>>()
  #weight = 0

  /** How many owners wait. */
  get owners(): number {
    return this.#lists.size
  }

  /** The weight that waits, of one owner or of all. */
  weight(owner?: string): number {
    return owner === undefined ? this.#weight : (this.#lists.get(owner)?.weight ?? 0)
  }

  put(owner: string, item: T, weight: number): void {
    const list = this.#lists.get(owner) ?? { entries: [], weight: 0, credit: 0, inTurn: false }
    this.#lists.set(owner, list)
    list.entries.push({ item, weight })
    list.weight += weight
    this.#weight += weight
  }

  /**
   * Removes the next items, those of an owner in the order in which they were put. They weigh at most `most` together; only
   * the first may be as heavy as it likes. Beside something heavy of an owner, nothing else of that owner is taken, and
   * nothing that is heavier than `most`.
   */
  take(most: number, beside?: string): T[] {
    const lists = this.#lists
    const mayGive: MayGive<T> = (owner, list) =>
      beside === undefined || (owner !== beside && headOf(list) <= most)
    const taken: T[] = []
    let left = most
    /** Turns in a row that gave nothing. */
    let passed = 0
    for (const [owner, list] of lists) {
      if (passed === lists.size) break
      if (!mayGive(owner, list)) {
        passed++
        this.#toTheEnd(owner, list)
        continue
      }
      if (!list.inTurn) list.credit += QUANTUM
      list.inTurn = true
      const before = taken.length
      left -= this.#give(owner, list, taken, left)
      passed = taken.length > before ? 0 : passed + 1
      if (list.entries.length === 0) continue
      // It could go on, so the batch is full.
      if (this.#affords(list, headOf(list))) break
      list.inTurn = false
      this.#toTheEnd(owner, list)
    }
    const next = taken.length === 0 && this.#nearest(mayGive)
    if (next) {
      next[1].credit = headOf(next[1])
      this.#give(...next, taken, most)
    }
    return taken
  }

  /** A loop over the lists meets it there again. */
  #toTheEnd(owner: string, list: List<T>): void {
    this.#lists.delete(owner)
    this.#lists.set(owner, list)
  }

  #affords(list: List<T>, weight: number): boolean {
    return weight <= list.credit || this.#lists.size === 1
  }

  /** Moves into a batch as much as a list may give now. Returns its weight. */
  #give(owner: string, list: List<T>, taken: T[], most: number): number {
    let count = 0
    let given = 0
    for (const { item, weight } of list.entries) {
      const fits = given + weight <= most || taken.length === 0
      if (!fits || !this.#affords(list, given + weight)) break
      taken.push(item)
      given += weight
      count++
    }
    list.entries.splice(0, count)
    list.weight -= given
    list.credit = Math.max(0, list.credit - given)
    if (list.entries.length === 0) this.#lists.delete(owner)
    this.#weight -= given
    return given
  }

  /** The owner that lacks least for its next item. */
  #nearest(mayGive: MayGive<T>): [string, List<T>] | undefined {
    let [best, least]: [[string, List<T>] | undefined, number] = [undefined, Number.POSITIVE_INFINITY]
    for (const each of this.#lists) {
      if (!mayGive(...each)) continue
      const lacks = headOf(each[1]) - each[1].credit
      if (lacks < least) [best, least] = [each, lacks]
    }
    return best
  }
}

function headOf<T>({ entries: [first] }: List<T>): number {
  return first?.weight ?? 0
}
