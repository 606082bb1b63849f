import { expect, it } from 'vitest'
import { handClock } from '../../server/test/support/hand-clock.ts'
import { Backoff } from '../src/link/backoff.ts'

const SECOND_MS = 1_000

function backoffOn(clock: ReturnType<typeof handClock>) {
  return new Backoff({ clock, random: () => 1, reconnectMs: SECOND_MS })
}

it('dials at longer and longer pauses until a connection has lasted, not only been bound', () => {
  const clock = handClock()
  const backoff = backoffOn(clock)
  function lasts(ms: number): number {
    backoff.bound()
    clock.pass(ms)
    return backoff.ended()
  }
  expect([backoff.ended(), lasts(10), lasts(1_000), lasts(29_999)]).toEqual([1_000, 2_000, 4_000, 8_000])
  expect([lasts(30_000), backoff.ended()]).toEqual([1_000, 2_000])
  for (let failure = 0; failure < 20; failure++) backoff.ended()
  expect(backoff.ended()).toBe(60_000)
})

it('dials soon again after a connection on which a message was taken, however short it was', () => {
  const backoff = backoffOn(handClock())
  for (let failure = 0; failure < 20; failure++) backoff.ended()
  backoff.bound()
  backoff.worked()
  expect([backoff.ended(), backoff.ended()]).toEqual([1_000, 2_000])
})
