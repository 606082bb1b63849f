import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createCrowd } from '../src/crowd.ts'

describe('a crowd', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('is not there before anybody came, nor when a few come one after the other', () => {
    const crowd = createCrowd()
    expect(crowd.isThere()).toBe(false)
    for (let n = 0; n < 100; n++) crowd.see(15)
    expect(crowd.isThere()).toBe(false)
  })

  it('is there for a moment after many came at once', () => {
    const crowd = createCrowd()
    crowd.see(16)
    crowd.see(1)
    vi.advanceTimersByTime(49)
    expect(crowd.isThere()).toBe(true)
    vi.advanceTimersByTime(1)
    expect(crowd.isThere()).toBe(false)
  })
})
