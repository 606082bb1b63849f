import { randomInt } from 'node:crypto'

/** Random choices that a seed repeats. */
export interface Random {
  /** A whole number from `least` to below `beyond`. */
  from(least: number, beyond: number): number
  chance(percent: number): boolean
  /** One of the items, of which there must be some. */
  pick<T>(items: readonly T[]): T
  /** One of the items; undefined when there are none. */
  any<T>(items: readonly T[]): T | undefined
}

/** The generator mulberry32. The same seed and index give the same numbers, whatever came before. */
export function createRandom(seed: number, index = 0): Random {
  let state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(index + 1, 0xc2b2ae35)
  function next(): number {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const from = (least: number, beyond: number) => least + Math.floor(next() * (beyond - least))
  return {
    from,
    chance: (percent) => next() * 100 < percent,
    pick(items) {
      const item = items[from(0, items.length)]
      if (item === undefined) throw new Error('expected something to choose from')
      return item
    },
    any: (items) => items[from(0, items.length)],
  }
}

/** `TORTURE_SEED`, or another seed in each run. */
const SEED = Number(process.env.TORTURE_SEED ?? randomInt(2 ** 31))

let printed = false

/** The seed of the choices of this run, which is printed when it is first asked for. */
export function printedSeed(): number {
  if (!printed) console.log(`TORTURE_SEED=${SEED} repeats the choices of this run`)
  printed = true
  return SEED
}

/** The choices of a chaos. Each part of it uses another index. */
export const chaos = (index = 0): Random => createRandom(printedSeed(), index)
