import type { EventEmitter } from 'node:events'
import pg from 'pg'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { Watchdog } from '../../../../src/store/postgres/liveness.ts'

let given: EventEmitter[]
let watchdog: Watchdog
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  given = []
  watchdog = new Watchdog(400, (client) => given.push(client))
})
afterEach(() => {
  watchdog.stop()
  vi.useRealTimers()
})

it('gives up a connection on which nothing was answered in time, or a quarter of that later, and no other', () => {
  const [owed, answered, idle] = [client(), client(), client()]
  watchdog.begin(owed)
  watchdog.begin(answered)
  watchdog.begin(idle)
  watchdog.end(idle)
  vi.advanceTimersByTime(400)
  expect(given).toEqual([])
  answered.emit('drain')
  vi.advanceTimersByTime(100)
  expect(given).toEqual([owed])
  watchdog.end(owed)
  vi.advanceTimersByTime(300)
  expect(given).toEqual([owed])
  vi.advanceTimersByTime(100)
  expect(given).toEqual([owed, answered])
})

/** A connection that is never made. */
function client() {
  const made = new pg.Client() as pg.Client & pg.PoolClient
  watchdog.meet(made)
  return made
}
