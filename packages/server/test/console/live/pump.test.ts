import { describe, expect, it } from 'vitest'
import { epochMs } from '../../../src/kernel/ids.ts'
import { createMovedClock } from '../../../src/testing/clock.ts'
import { Pump, type Served } from '../../../src/web/console/live/pump.ts'
import { turns } from '../../support/turns.ts'

const unexpected = (error: unknown) => {
  throw error
}

/** A pump in a time that passes when a test, or what it looks at, lets it. */
function openPump(options: Partial<ConstructorParameters<typeof Pump>[0]> = {}) {
  const time = createMovedClock(epochMs(0))
  const pump = new Pump({ onFault: unexpected, time, ...options })
  const pass = (ms: number) => time.moveTo(epochMs(time.now() + ms))
  return {
    pump,
    pass,
    /** Something to look at that takes a while. */
    takes(ms: number, accountId = 'a'): Served & { times: number } {
      return {
        accountId,
        times: 0,
        async serve() {
          this.times++
          pass(ms)
          return 250
        },
      }
    },
    /** Tells all of them without rest. */
    async tellFor(ms: number, all: readonly Served[]) {
      while (time.now() < ms) {
        for (const served of all) pump.tell(served)
        await turns()
        pass(10)
      }
      for (const served of all) pump.drop(served)
    },
  }
}

describe('the pump', () => {
  it('takes a sixteenth of the time, however many there are to serve', async () => {
    const { takes, tellFor } = openPump()
    const many = Array.from({ length: 50 }, () => takes(10))
    await tellFor(2_400, many)
    expect(many.reduce((sum, { times }) => sum + times, 0)).toBe(15)
  })

  it('serves one no more often than it wants to be', async () => {
    const { takes, tellFor } = openPump()
    const one = takes(0)
    await tellFor(1_000, [one])
    expect(one.times).toBe(4)
  })

  it('serves at once when it has rested', async () => {
    const { pump, takes } = openPump()
    const one = takes(0)
    pump.tell(one)
    await turns()
    expect(one.times).toBe(1)
  })

  it('leaves time for others beside one that takes long', async () => {
    const { takes, tellFor } = openPump()
    const [slow, quick] = [takes(40), takes(0)]
    await tellFor(2_000, [slow, quick])
    expect([slow.times, quick.times]).toEqual([2, 4])
  })

  it('serves accounts in turn, however many lists one of them has', async () => {
    const served: string[] = []
    const { pump, pass } = openPump()
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
    for (let rest = 0; rest < 253; rest++) {
      await turns()
      pass(1)
    }
    expect(served).toHaveLength(253)
    // The first is served before others are told of.
    expect(served.slice(0, 7).join('')).toBe('aabcaba')
  })

  it('goes on after a look that failed', async () => {
    const faults: unknown[] = []
    const { pump, pass, takes } = openPump({ onFault: (error) => faults.push(error) })
    const one = takes(0)
    pump.tell({ accountId: 'a', serve: () => Promise.reject(new Error('no connection')) })
    pump.tell(one)
    await turns()
    pass(1)
    await turns()
    expect([one.times, faults.length]).toEqual([1, 1])
  })

  it('drops a look that does not come to an end, serves the others, and leaves that one alone for a while', async () => {
    const faults: unknown[] = []
    const onFault = (error: unknown) => faults.push(error)
    const { pump, pass, takes } = openPump({ onFault, longestPollMs: 50 })
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
    await turns()
    expect(one.times).toBe(0)
    pass(50)
    await turns()
    // It rests fifteen times as long.
    pass(750)
    await turns()
    expect(one.times).toBe(1)
    expect(String(faults)).toBe('Error: expected a look at a list within 50 ms; it was dropped')
    pump.tell(one)
    pump.tell(stuck)
    pass(250)
    await turns()
    expect(one.times).toBe(2)
    expect([looks, faults.length]).toEqual([1, 1])
    pump.drop(stuck)
  })
})
