/** A queue with a list for each key. The keys take turns, so that a long list delays only itself. */
export interface Turns<T> {
  put(key: string, item: T, weight: number): void
  /**
   * Removes the next items, those of a key in the order in which they were put. They weigh at most `most` together; only
   * the first may be as heavy as it likes. Beside something heavy of a key, nothing else of that key is taken, and nothing
   * that is heavier than `most`.
   */
  take(most: number, beside?: string): T[]
  /** The weight that waits, of one key or of all. */
  weight(key?: string): number
  /** How many keys wait. */
  keys(): number
}

/** What a key may take in each turn. It saves up for an item that is heavier. */
const QUANTUM = 250

interface List<T> {
  entries: { item: T; weight: number }[]
  weight: number
  credit: number
  /** Whether its turn has begun, and its credit includes this turn's quantum. */
  inTurn: boolean
}

/**
 * Deficit round robin. A heavy item is taken when its key has saved up for it, or when no other key has something
 * lighter.
 */
export function createTurns<T>(): Turns<T> {
  /** In the order of their turns. */
  const lists = new Map<string, List<T>>()
  let waiting = 0

  function affords(list: List<T>, weight: number): boolean {
    return weight <= list.credit || lists.size === 1
  }

  /** Moves what a list may give now into a batch. Returns the weight of that. */
  function give(key: string, list: List<T>, taken: T[], most: number): number {
    let count = 0
    let given = 0
    for (const { item, weight } of list.entries) {
      const fits = given + weight <= most || taken.length === 0
      if (!fits || !affords(list, given + weight)) break
      taken.push(item)
      given += weight
      count++
    }
    list.entries.splice(0, count)
    list.weight -= given
    list.credit = Math.max(0, list.credit - given)
    if (list.entries.length === 0) lists.delete(key)
    waiting -= given
    return given
  }

  /** The key that lacks least for its next item. */
  function nearest(mayGive: (key: string, list: List<T>) => boolean): [string, List<T>] | undefined {
    let [best, least]: [[string, List<T>] | undefined, number] = [undefined, Number.POSITIVE_INFINITY]
    for (const each of lists) {
      if (!mayGive(...each)) continue
      const lacks = headOf(each[1]) - each[1].credit
      if (lacks < least) [best, least] = [each, lacks]
    }
    return best
  }

  return {
    put(key, item, weight) {
      const list = lists.get(key) ?? { entries: [], weight: 0, credit: 0, inTurn: false }
      lists.set(key, list)
      list.entries.push({ item, weight })
      list.weight += weight
      waiting += weight
    },
    take(most, beside) {
      const mayGive = (key: string, list: List<T>) =>
        beside === undefined || (key !== beside && headOf(list) <= most)
      const taken: T[] = []
      let left = most
      /** Turns in a row that gave nothing. */
      let passed = 0
      for (const [key, list] of lists) {
        if (passed === lists.size) break
        if (!mayGive(key, list)) {
          passed++
          lists.delete(key)
          lists.set(key, list)
          continue
        }
        if (!list.inTurn) list.credit += QUANTUM
        list.inTurn = true
        const before = taken.length
        left -= give(key, list, taken, left)
        passed = taken.length > before ? 0 : passed + 1
        if (list.entries.length === 0) continue
        // It could go on, so the batch is full.
        if (affords(list, headOf(list))) break
        list.inTurn = false
        // To the end, where this loop meets it again.
        lists.delete(key)
        lists.set(key, list)
      }
      const next = taken.length === 0 && nearest(mayGive)
      if (next) {
        next[1].credit = headOf(next[1])
        give(...next, taken, most)
      }
      return taken
    },
    weight: (key) => (key === undefined ? waiting : (lists.get(key)?.weight ?? 0)),
    keys: () => lists.size,
  }
}

function headOf<T>({ entries: [first] }: List<T>): number {
  return first?.weight ?? 0
}
