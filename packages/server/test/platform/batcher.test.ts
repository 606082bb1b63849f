import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { Batch, type Batching } from '../../src/flow/batch.ts'

/** A batcher of numbers, whose batches run until they are told to end. */
function openBatcher(options: Partial<Batching<number, number>> = {}) {
  const batches: { items: readonly number[]; end(): void }[] = []
  const batch = new Batch<number, number>({
    async run(items) {
      await new Promise<void>((end) => batches.push({ items, end }))
      return items.map((value) => ({ value }))
    },
    weigh: () => 1,
    maxWeight: 4,
    maxWaiting: { weight: 100, error: () => new Error('too many') },
    ...options,
  })
  const add = (item: number) => batch.add(item)
  const begun = () => batches.map(({ items }) => [...items])
  return { add, batches, begun }
}

/** Long enough for whatever does not wait for a timer. */
async function aWhile(): Promise<void> {
  for (let turns = 0; turns < 30; turns++) await turn()
}

describe('a batcher', () => {
  it('runs one batch at a time, and gathers the next meanwhile', async () => {
    const { add, batches, begun } = openBatcher()
    const first = add(1)
    await aWhile()
    const others = [2, 3, 4].map(add)
    await aWhile()
    expect(begun()).toEqual([[1]])
    batches[0]?.end()
    expect(await first).toBe(1)
    await aWhile()
    expect(begun()).toEqual([[1], [2, 3, 4]])
    batches[1]?.end()
    expect(await Promise.all(others)).toEqual([2, 3, 4])
  })

  it('runs as many batches at a time as it may, and never an empty one', async () => {
    const { add, batches, begun } = openBatcher({ atOnce: 2 })
    const all = [add(1), add(2)]
    await aWhile()
    all.push(add(3))
    await aWhile()
    all.push(add(4))
    await aWhile()
    expect(begun()).toEqual([[1, 2], [3]])
    batches[0]?.end()
    await aWhile()
    expect(begun()).toEqual([[1, 2], [3], [4]])
    for (const { end } of batches) end()
    expect(await Promise.all(all)).toEqual([1, 2, 3, 4])
  })

  it('runs what is heavy beside the batches, one at a time, and lets its key wait', async () => {
    const { add, batches, begun } = openBatcher({
      weigh: (item) => (item >= 100 ? 5 : 1),
      ownerOf: (item) => String(item % 10),
      heavyBeside: true,
    })
    const all = [add(101)]
    await aWhile()
    all.push(add(201), add(102), add(1), add(2), add(3))
    await aWhile()
    expect(begun()).toEqual([[101], [3]])
    batches[1]?.end()
    await aWhile()
    expect(begun()).toEqual([[101], [3]])
    batches[0]?.end()
    await aWhile()
    for (let n = 2; n < 6; n++) {
      batches[n]?.end()
      await aWhile()
    }
    expect(begun().slice(2).map(String).sort()).toEqual(['1', '102', '2', '201'])
    expect(await Promise.all(all)).toEqual([101, 201, 102, 1, 2, 3])
  })

  it('lets items gather for as long as it is told, but for those that are enough', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    async function pass(ms: number): Promise<void> {
      await vi.advanceTimersByTimeAsync(ms)
      await aWhile()
    }
    const { add, batches, begun } = openBatcher({ gatherMs: 40 })
    const all = [add(1)]
    await pass(39)
    all.push(add(2))
    expect(begun()).toEqual([])
    await pass(1)
    expect(begun()).toEqual([[1, 2]])
    batches[0]?.end()
    await aWhile()
    all.push(...[3, 4, 5, 6, 7].map(add))
    await aWhile()
    expect(begun()).toEqual([
      [1, 2],
      [3, 4, 5, 6],
    ])
    batches[1]?.end()
    await aWhile()
    await pass(40)
    batches[2]?.end()
    expect(await Promise.all(all)).toEqual([1, 2, 3, 4, 5, 6, 7])
  })

  it('waits no longer once there are enough', async () => {
    const { add, batches, begun } = openBatcher({ gatherMs: 5_000 })
    const all = [add(1)]
    await aWhile()
    all.push(...[2, 3, 4].map(add))
    await aWhile()
    expect(begun()).toEqual([[1, 2, 3, 4]])
    batches[0]?.end()
    expect(await Promise.all(all)).toEqual([1, 2, 3, 4])
  })

  it('takes from keys in turn', async () => {
    const { add, batches, begun } = openBatcher({
      ownerOf: (item) => (item < 10 ? 'few' : 'many'),
      maxWeight: 300,
      maxWaiting: { weight: 1_000, error: () => new Error('too many') },
    })
    const all = Array.from({ length: 600 }, (_, index) => add(10 + index))
    await aWhile()
    all.push(add(1))
    batches[0]?.end()
    await aWhile()
    expect(begun()[1]).toContain(1)
    batches[1]?.end()
    await aWhile()
    batches[2]?.end()
    expect(await Promise.all(all)).toHaveLength(601)
  })
})

describe('a batcher in which as much waits as may', () => {
  const nameOf = (item: number) => String(item % 10)
  /** The items that are refused, of these that come while a batch runs. */
  async function refused(items: readonly number[], ofKey: number): Promise<number[]> {
    const maxWaiting = { weight: 12, ofOwner: ofKey, error: () => new Error('too many') }
    const { add, batches } = openBatcher({ ownerOf: nameOf, maxWaiting })
    const all = [add(0)]
    await aWhile()
    all.push(...items.map(add))
    const over: number[] = []
    for (const [index, each] of all.entries()) each.catch(() => over.push(items[index - 1] ?? 0))
    for (let batch = 0; batch < items.length; batch++) {
      batches[batch]?.end()
      await aWhile()
    }
    await Promise.allSettled(all)
    return over
  }

  it('refuses a key that has its share, and no other', async () => {
    expect(await refused([11, 21, 31, 41, 51, 2], 4)).toEqual([51])
  })

  it('refuses keys of which more than an equal share waits, and lets others add', async () => {
    const many = [11, 21, 31, 41, 51, 61, 71, 81]
    const some = [12, 22, 32, 42]
    expect(await refused([...many, ...some, 13, 91, 52, 23, 33, 43, 53], 8)).toEqual([91, 52, 53])
  })
})
