/** Randomness that a seed repeats. */
export interface Random {
  /** A whole number from 0 to below `below`. */
  below(below: number): number
  chance(probability: number): boolean
  pick<T>(items: readonly T[]): T
}

/** The same seed and index give the same numbers, whatever came before. */
export function createRandom(seed: number, index: number): Random {
  let state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(index + 1, 0xc2b2ae35)
  function next(): number {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    below: (below) => Math.floor(next() * below),
    chance: (probability) => next() < probability,
    pick(items) {
      const item = items[Math.floor(next() * items.length)]
      if (item === undefined) throw new Error('expected something to choose from')
      return item
    },
  }
}
