import { describe, expect, it } from 'vitest'
import { inSlices, isHeld, nextTurn } from '../../src/kernel/process/event-loop.ts'

/** Holds the thread as heavy work does. */
function hold(ms: number): void {
  for (const until = performance.now() + ms; performance.now() < until; );
}

/** Counts the turns of the event loop while some work goes on. */
async function turnsDuring(work: () => Promise<void>): Promise<number> {
  let turns = 0
  let done = false
  const count = () => {
    turns++
    if (!done) setImmediate(count)
  }
  setImmediate(count)
  await work()
  done = true
  return turns
}

describe('work in slices', () => {
  it('lets the event loop go on after each slice, and does each item once, in order', async () => {
    const items = Array.from({ length: 320 }, (_, index) => index)
    const done: number[] = []
    const turns = await turnsDuring(() =>
      inSlices(items, (item, index) => {
        hold(0.5)
        expect(index).toBe(item)
        done.push(item)
      }),
    )
    expect(done).toEqual(items)
    // Each look at the clock, after 16 items of half a millisecond, ends a slice of 5 ms.
    expect(turns).toBeGreaterThanOrEqual(19)
  })

  it('rests for nothing where the work is short', async () => {
    await nextTurn()
    const done: number[] = []
    const working = inSlices([1, 2, 3], (item) => done.push(item))
    expect(done).toEqual([1, 2, 3])
    await working
  })

  it('does not stand in line with long work when it is short', () => {
    isHeld()
    hold(6)
    expect(isHeld()).toBe(true)
    const done: number[] = []
    void inSlices([1, 2, 3], (item) => done.push(item))
    expect(done).toEqual([1, 2, 3])
  })

  it('goes on one at a time, however many there are, and each in its turn', async () => {
    const order: string[] = []
    let turn = 0
    const perTurn = new Map<number, number>()
    let over = false
    const count = () => {
      turn++
      if (!over) setImmediate(count)
    }
    setImmediate(count)
    await Promise.all(
      ['a', 'b', 'c'].map(async (name) => {
        for (let step = 0; step < 3; step++) {
          await nextTurn()
          order.push(name)
          perTurn.set(turn, (perTurn.get(turn) ?? 0) + 1)
        }
      }),
    )
    over = true
    expect(order.join('')).toBe('abcabcabc')
    expect([...perTurn.values()]).toEqual(Array(9).fill(1))
  })
})
