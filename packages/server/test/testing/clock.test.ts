import { describe, expect, it } from 'vitest'
import { epochMs } from '../../src/kernel/ids.ts'
import { createMovedClock, TimeLapse } from '../../src/testing/clock.ts'

function open(idle: (hasSleepers: boolean) => boolean = () => true) {
  const clock = createMovedClock(epochMs(0))
  return { clock, lapse: new TimeLapse(clock, idle) }
}

describe('time that is let pass', () => {
  it('is the same for all who sleep at once', async () => {
    const { clock, lapse } = open()
    const woken: [string, number][] = []
    const sleep = async (name: string, ms: number) => {
      await lapse.sleep(ms)
      woken.push([name, clock.now()])
    }
    await Promise.all([sleep('long', 1_000), sleep('short', 300.4), sleep('as long', 1_000)])
    expect(woken).toEqual([
      ['short', 301],
      ['long', 1_000],
      ['as long', 1_000],
    ])
  })

  it('wakes those who sleep, and runs timers, on the way to a later time', async () => {
    const { clock, lapse } = open()
    const events: [string, number][] = []
    const note = (name: string) => events.push([name, clock.now()])
    clock.after(500, () => note('timer'))
    const moved = lapse.advance(7_200_000).then(() => note('advanced'))
    const slept = lapse.sleep(400).then(async () => {
      note('slept')
      await lapse.sleep(400)
      note('slept again')
    })
    await Promise.all([moved, slept])
    expect(events).toEqual([
      ['slept', 400],
      ['timer', 500],
      ['slept again', 800],
      ['advanced', 7_200_000],
    ])
  })

  it('never goes back', async () => {
    const { clock, lapse } = open()
    const slept = lapse.sleep(1_000)
    clock.moveTo(epochMs(5_000))
    await slept
    expect(clock.now()).toBe(5_000)
    await expect(lapse.advance(-1)).rejects.toThrow('expected a time that is not before the current one')
  })

  it('stands still when the sleep is aborted', async () => {
    const { clock, lapse } = open()
    const reason = new Error('enough')
    await expect(lapse.sleep(1_000, AbortSignal.abort(reason))).rejects.toBe(reason)
    const stop = new AbortController()
    const slept = lapse.sleep(1_000, stop.signal)
    stop.abort(reason)
    await expect(slept).rejects.toBe(reason)
    await lapse.advance(10)
    expect(clock.now()).toBe(10)
  })

  it('waits for a gateway that is busy, unless the gateway waits for one who sleeps', async () => {
    let isBusy = true
    const { clock, lapse } = open((hasSleepers) => !isBusy || hasSleepers)
    const moved = lapse.advance(1_000)
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
    expect(clock.now()).toBe(0)
    await lapse.sleep(10)
    expect(clock.now()).toBe(10)
    isBusy = false
    await moved
    expect(clock.now()).toBe(1_000)
  })

  it('lets go of all who wait when it ends, and stands still from then on', async () => {
    const { clock, lapse } = open(() => false)
    const both = [lapse.sleep(1_000), lapse.advance(1_000)]
    lapse.end()
    await Promise.all([...both, lapse.sleep(1_000), lapse.quiet()])
    expect(clock.now()).toBe(0)
  })

  it('rejects for all who wait when a timer fails, and goes on afterwards', async () => {
    const { clock, lapse } = open()
    clock.after(5, () => {
      throw new Error('broken')
    })
    const both = await Promise.allSettled([lapse.sleep(10), lapse.advance(10)])
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    await lapse.advance(10)
    expect(clock.now()).toBe(15)
  })
})
