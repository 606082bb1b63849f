import { expect, it } from 'vitest'
import { Restarts } from '../../src/kernel/process/restarts.ts'
import { handClock } from '../support/hand-clock.ts'

function open() {
  const clock = handClock()
  const restarts = new Restarts(clock, 500)
  let starts = 0
  const start = () => {
    starts++
    restarts.begin()
  }
  start()
  return { clock, restarts, again: () => restarts.again(start), starts: () => starts }
}

it('pauses twice as long each time, up to the longest, and begins anew after a long run', () => {
  const { clock, again } = open()
  const pauses = Array.from({ length: 5 }, () => {
    const pause = again()
    clock.pass(pause)
    return pause
  })
  expect(pauses).toEqual([100, 200, 400, 500, 500])
  clock.pass(60_000)
  expect(again()).toBe(100)
})

it('starts once its pause is over, and not when it was stopped before', () => {
  const { clock, restarts, again, starts } = open()
  again()
  clock.pass(99)
  expect([starts(), restarts.isDue]).toEqual([1, true])
  clock.pass(1)
  expect([starts(), restarts.isDue]).toEqual([2, false])
  again()
  restarts.stop()
  clock.pass(10_000)
  expect([starts(), restarts.isDue]).toEqual([2, false])
})
