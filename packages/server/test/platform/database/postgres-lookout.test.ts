import type { EventEmitter } from 'node:events'
import pg from 'pg'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createLookout, type Lookout } from '../../../src/platform/database/postgres-lookout.ts'

let given: EventEmitter[]
let lookout: Lookout
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  given = []
  lookout = createLookout({ answerWithinMs: 400, giveUp: (client) => given.push(client) })
})
afterEach(() => {
  lookout.stop()
  vi.useRealTimers()
})

it('gives up a connection on which nothing was answered in time, or a quarter of that later, and no other', () => {
  const [owed, answered, idle] = [client(), client(), client()]
  lookout.begin(owed)
  lookout.begin(answered)
  lookout.begin(idle)
  lookout.end(idle)
  vi.advanceTimersByTime(400)
  expect(given).toEqual([])
  answered.emit('drain')
  vi.advanceTimersByTime(100)
  expect(given).toEqual([owed])
  lookout.end(owed)
  vi.advanceTimersByTime(300)
  expect(given).toEqual([owed])
  vi.advanceTimersByTime(100)
  expect(given).toEqual([owed, answered])
})

/** A connection that is never made. */
function client() {
  const made = new pg.Client() as pg.Client & pg.PoolClient
  lookout.meet(made)
  return made
}
