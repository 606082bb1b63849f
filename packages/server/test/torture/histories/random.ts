/** Random choices that a seed repeats. */
export interface Random {
  /** A whole number from `least` to below `beyond`. */
  from(least: number, beyond: number): number
  chance(percent: number): boolean
  pick<T>(items: readonly [T, ...T[]]): T
  /** One of the items; undefined when there are none. */
  any<T>(items: readonly T[]): T | undefined
}

/** The generator mulberry32: 32 bits of state are enough to choose what a client asks next. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const from = (least: number, beyond: number) => least + Math.floor(next() * (beyond - least))
  return {
    from,
    chance: (percent) => next() * 100 < percent,
    pick: (items) => items[from(0, items.length)] ?? items[0],
    any: (items) => items[from(0, items.length)],
  }
}
