import { describe, expect, it } from 'vitest'
import { OwnerTurns } from '../../src/flow/owner-turns.ts'
import { createRandom } from '../support/random.ts'

/** Items are named by their key and their number: `a3`. */
function openTurns(waiting: Record<string, number[]> = {}) {
  const turns = new OwnerTurns<string>()
  const put = (key: string, ...weights: number[]) => {
    for (const [index, weight] of weights.entries()) turns.put(key, `${key}${index}`, weight)
  }
  for (const [key, weights] of Object.entries(waiting)) put(key, ...weights)
  return {
    put,
    take: (most: number, beside?: string) => turns.take(most, beside),
    weight: (key?: string) => turns.weight(key),
    owners: () => turns.owners,
  }
}

const ones = (count: number) => Array<number>(count).fill(1)
const keyOf = (item: string) => item.slice(0, 1)
const countOf = (items: readonly string[], key: string) => items.filter((item) => keyOf(item) === key).length

describe('a queue that takes turns', () => {
  it('gives the items of one key in their order, as many as a batch holds', () => {
    const turns = openTurns({ a: [2, 3, 4, 1] })
    expect(turns.take(5)).toEqual(['a0', 'a1'])
    expect([turns.weight(), turns.weight('a'), turns.weight('b'), turns.owners()]).toEqual([5, 5, 0, 1])
    expect([turns.take(5), turns.take(5)]).toEqual([['a2', 'a3'], []])
    expect([turns.weight(), turns.owners()]).toEqual([0, 0])
  })

  it('gives a quantum to each of the keys that wait, and what some leave to the others', () => {
    const turns = openTurns({ a: ones(5_000), b: ones(5_000), c: ones(10) })
    const batch = turns.take(1_000)
    expect(['a', 'b', 'c'].map((key) => countOf(batch, key))).toEqual([500, 490, 10])
  })

  it('goes on in the next batch where this one ended', () => {
    const turns = openTurns({ a: ones(1_000), b: ones(1_000), c: ones(1_000) })
    const batches = [turns.take(300), turns.take(300), turns.take(300)]
    expect(batches.map((batch) => ['a', 'b', 'c'].map((key) => countOf(batch, key)))).toEqual([
      [250, 50, 0],
      [0, 200, 100],
      [150, 0, 150],
    ])
  })

  it('gives a heavy item at once, and alone, where nothing else waits', () => {
    const turns = openTurns({ a: [10_000, 10_000, 1] })
    expect([turns.take(1_000), turns.take(1_000), turns.take(1_000)]).toEqual([['a0'], ['a1'], ['a2']])
  })

  it('gives what is light before what is heavy, however much of that waits', () => {
    const turns = openTurns({ a: Array<number>(9).fill(10_000), b: Array<number>(9).fill(10_000), c: [1] })
    expect(turns.take(1_000)).toEqual(['c0'])
    expect(turns.take(1_000)).toEqual(['a0'])
    turns.put('d', 1)
    expect(turns.take(1_000)).toEqual(['d0'])
  })

  it('gives a heavy item once its key has waited for it through as many turns as it costs', () => {
    const turns = openTurns({ a: [10_000], b: ones(10_000) })
    let given = 0
    for (let batch = turns.take(250); batch[0] !== 'a0'; batch = turns.take(250)) given += batch.length
    expect(given).toBeGreaterThan(9_000)
    expect(given).toBeLessThanOrEqual(10_000)
  })

  it('gives beside something heavy nothing of its key, and nothing else that is heavy', () => {
    const turns = openTurns({ a: [1, 1], b: [10_000, 1], c: [1, 10_000, 1] })
    expect([turns.take(1_000, 'a'), turns.take(1_000, 'a')]).toEqual([['c0'], []])
    expect(turns.take(1_000, 'd')).toEqual(['a0', 'a1'])
    const rest = Array.from({ length: 4 }, () => turns.take(1_000))
    expect(rest.flat().sort()).toEqual(['b0', 'b1', 'c1', 'c2'])
  })

  it.each([1, 2, 3, 4, 5])('loses nothing and keeps the order of each key, with seed %i', (seed) => {
    const random = createRandom(seed)
    const turns = new OwnerTurns<{ key: string; nth: number; weight: number }>()
    const given = new Map<string, number>()
    const put = new Map<string, number>()
    let waiting = 0
    for (let round = 0; round < 3_000; round++) {
      for (let count = random.from(0, round < 2_000 ? 8 : 1); count > 0; count--) {
        const key = random.pick(['a', 'a', 'a', 'b', 'c', `rare-${random.from(0, 50)}`])
        const weight = random.chance(5) ? random.from(1, 10_001) : random.from(1, 20)
        const nth = put.get(key) ?? 0
        turns.put(key, { key, nth, weight }, weight)
        put.set(key, nth + 1)
        waiting += weight
      }
      const batch = turns.take(1_000)
      const total = batch.reduce((sum, { weight }) => sum + weight, 0)
      expect(batch.length === 1 || total <= 1_000).toBe(true)
      expect(batch.length > 0 || waiting === 0).toBe(true)
      waiting -= total
      for (const { key, nth } of batch) {
        expect(nth).toBe(given.get(key) ?? 0)
        given.set(key, nth + 1)
      }
      expect(turns.weight()).toBe(waiting)
    }
    while (turns.owners > 0)
      for (const { key } of turns.take(1_000)) given.set(key, (given.get(key) ?? 0) + 1)
    expect(given).toEqual(put)
    expect(turns.weight()).toBe(0)
  })
})
