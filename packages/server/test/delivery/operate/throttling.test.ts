import { describe, expect, it } from 'vitest'
import { Throttling } from '../../../src/delivery/operate/throttling.ts'

const A_SECOND = 1_000
const A_MINUTE = 60_000

describe('a carrier that asks for fewer messages', () => {
  it('is counted over the last five minutes, by how often and how long it rested', () => {
    const throttling = new Throttling()
    let rests = 0
    for (let second = 0; second < 600; second++) {
      const kind = second % 2 === 0 ? 'resting' : 'up'
      if (kind === 'resting') rests++
      throttling.look({ kind, rests }, second * A_SECOND)
    }
    const { times, ms } = throttling.look({ kind: 'up', rests }, 600 * A_SECOND)
    expect(times).toBeGreaterThanOrEqual(145)
    expect(times).toBeLessThanOrEqual(155)
    expect(ms).toBeGreaterThanOrEqual(145 * A_SECOND)
    expect(ms).toBeLessThanOrEqual(155 * A_SECOND)
  })

  it('has rested nothing once five minutes are over without a rest', () => {
    const throttling = new Throttling()
    throttling.look({ kind: 'up', rests: 0 }, 0)
    throttling.look({ kind: 'resting', rests: 40 }, A_SECOND)
    expect(throttling.look({ kind: 'up', rests: 40 }, 2 * A_SECOND)).toEqual({ times: 40, ms: A_SECOND })
    for (let at = 10; at <= 300; at += 10) throttling.look({ kind: 'up', rests: 40 }, at * A_SECOND)
    expect(throttling.look({ kind: 'up', rests: 40 }, 5.5 * A_MINUTE)).toEqual({ times: 0, ms: 0 })
  })

  it('counts on when the carrier was opened again, which counts from 0', () => {
    const throttling = new Throttling()
    throttling.look({ kind: 'up', rests: 0 }, 0)
    throttling.look({ kind: 'up', rests: 40 }, A_SECOND)
    expect(throttling.look({ kind: 'up', rests: 2 }, 2 * A_SECOND).times).toBe(2)
  })

  it('keeps a bounded number of marks, however often it looks', () => {
    const throttling = new Throttling()
    for (let at = 0; at < 3_600; at++) throttling.look({ kind: 'resting', rests: at }, at * A_SECOND)
    const { times, ms } = throttling.look({ kind: 'up', rests: 3_600 }, 3_600 * A_SECOND)
    expect(ms).toBe(5 * A_MINUTE)
    expect(times).toBeLessThanOrEqual(311)
  })
})
