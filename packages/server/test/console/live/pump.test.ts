import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createPump, type Served } from '../../../src/console/live/pump.ts'
import { eventually } from '../../support/eventually.ts'

const unexpected = (error: unknown) => {
  throw error
}

/** Something to look at that takes the processor for a while. */
function takes(ms: number, accountId = 'a'): Served & { times: number } {
  return {
    accountId,
    times: 0,
    async serve() {
      this.times++
      for (const end = performance.now() + ms; performance.now() < end; );
      return 250
    },
  }
}

/** Tells all of them without rest. */
async function tellFor(ms: number, all: readonly Served[], pump = createPump({ onFault: unexpected })) {
  for (const end = performance.now() + ms; performance.now() < end; await pause(1)) {
    for (const served of all) pump.tell(served)
  }
  for (const served of all) pump.drop(served)
}

describe('the pump', () => {
  it('takes about a tenth of the time, however many there are to serve', async () => {
    const many = Array.from({ length: 50 }, () => takes(10))
    await tellFor(1_000, many)
    const worked = 10 * many.reduce((sum, { times }) => sum + times, 0)
    expect(worked).toBeGreaterThan(0)
    expect(worked).toBeLessThanOrEqual(120)
  })

  it('serves one no more often than it wants to be', async () => {
    const one = takes(0)
    await tellFor(1_000, [one])
    expect(one.times).toBeGreaterThan(1)
    expect(one.times).toBeLessThanOrEqual(5)
  })

  it('serves at once when it has rested', async () => {
    const pump = createPump({ onFault: unexpected })
    const one = takes(0)
    const began = performance.now()
    pump.tell(one)
    await eventually('it is served', () => one.times === 1)
    expect(performance.now() - began).toBeLessThan(100)
  })

  it('leaves time for others beside one that takes long', async () => {
    const [slow, quick] = [takes(40), takes(0)]
    await tellFor(2_000, [slow, quick])
    expect(slow.times).toBeLessThanOrEqual(4)
    expect(quick.times).toBeGreaterThan(slow.times)
  })

  it('serves accounts in turn, however many lists one of them has', async () => {
    const served: string[] = []
    const pump = createPump({ onFault: unexpected })
    const list = (accountId: string): Served => ({
      accountId,
      async serve() {
        served.push(accountId)
        return 250
      },
    })
    for (let lists = 0; lists < 250; lists++) pump.tell(list('a'))
    const others = [list('b'), list('b'), list('c')]
    for (const other of others) pump.tell(other)
    await eventually('all are served', () => served.length === 253)
    // The first is served before others are told of.
    expect(served.slice(0, 7).join('')).toBe('aabcaba')
  })

  it('goes on after a look that failed', async () => {
    const faults: unknown[] = []
    const pump = createPump({ onFault: (error) => faults.push(error) })
    const one = takes(0)
    pump.tell({ accountId: 'a', serve: () => Promise.reject(new Error('no connection')) })
    pump.tell(one)
    await eventually('the next is served', () => one.times === 1)
    expect(faults).toHaveLength(1)
  })

  it('drops a look that does not come to an end, serves the others, and leaves that one alone for a while', async () => {
    const faults: unknown[] = []
    const pump = createPump({ onFault: (error) => faults.push(error), longestLookMs: 50 })
    const one = takes(0)
    let looks = 0
    const stuck: Served = {
      accountId: 'a',
      serve() {
        looks++
        return new Promise(() => {})
      },
    }
    pump.tell(stuck)
    pump.tell(one)
    await eventually('the next is served', () => one.times === 1)
    expect(String(faults)).toBe('Error: expected a look at a list within 50 ms; it was dropped')
    pump.tell(one)
    pump.tell(stuck)
    await eventually('it is served again', () => one.times === 2)
    expect([looks, faults.length]).toEqual([1, 1])
    pump.drop(stuck)
  })
})
