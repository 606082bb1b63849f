import { expect, it } from 'vitest'
import { epochMs } from '../../server/src/kernel/ids.ts'
import { createMovedClock } from '../../server/src/testing/clock.ts'
import { createBackoff } from '../src/link/backoff.ts'

it('dials at longer and longer pauses until a connection has lasted, not only been bound', () => {
  const clock = createMovedClock(epochMs(0))
  const backoff = createBackoff({ clock, random: () => 1, reconnectMs: 1_000 })
  function lasts(ms: number): number {
    backoff.bound()
    clock.moveTo(epochMs(clock.now() + ms))
    return backoff.ended()
  }
  expect([backoff.ended(), lasts(10), lasts(1_000), lasts(29_999)]).toEqual([1_000, 2_000, 4_000, 8_000])
  expect([lasts(30_000), backoff.ended()]).toEqual([1_000, 2_000])
  for (let failure = 0; failure < 20; failure++) backoff.ended()
  expect(backoff.ended()).toBe(60_000)
})
