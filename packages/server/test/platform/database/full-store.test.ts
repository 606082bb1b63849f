import { pino } from 'pino'
import { expect, it } from 'vitest'
import { type Database, StoreFull } from '../../../src/store/database.ts'
import { WatchedStore } from '../../../src/store/watch.ts'
import { handClock } from '../../support/hand-clock.ts'

/** A store with so much room, in characters of what is written at a time. */
function storeWith(room: number) {
  const clock = handClock()
  const state = { room }
  const write = async (work: (tx: { run(text: string, values: unknown[]): Promise<unknown[]> }) => unknown) =>
    work({
      async run(_, values) {
        if (JSON.stringify(values).length > state.room) throw new StoreFull('the disk is full')
        return []
      },
    })
  // Safe cast: nothing else of it is asked for.
  const store = { write, engine: 'sqlite' } as unknown as Database
  const watched = new WatchedStore(store, { clock, log: pino({ level: 'silent' }) })
  const put = (bytes: number, options = {}) =>
    watched.database
      .write((tx) => tx.run('', ['x'.repeat(bytes)]), options)
      .then(
        () => 'written',
        () => 'refused',
      )
  const isReady = () => {
    clock.pass(1_000)
    return watched.takesWrites()
  }
  return { state, clock, put, isReady }
}

const HOUSEKEEPING = [1_000_000, { patient: true }] as const

it('a store that takes sends is ready, although what no caller waits for has no room', async () => {
  const { put, isReady } = storeWith(100_000)
  for (let second = 0; second < 75; second++) {
    expect(await put(...HOUSEKEEPING)).toBe('refused')
    expect(await put(1_000)).toBe('written')
    expect(await isReady()).toBe(true)
  }
})

it('a store that has room for little more than the probe is not ready while anything is refused', async () => {
  const { state, put, isReady } = storeWith(1_000)
  expect(await isReady()).toBe(true)
  expect(await put(...HOUSEKEEPING)).toBe('refused')
  expect(await isReady()).toBe(false)
  state.room = Number.POSITIVE_INFINITY
  expect(await isReady()).toBe(true)
})

it('a store that refused a send is not ready for ten seconds, whatever the probe says', async () => {
  const { put, clock, isReady } = storeWith(100_000)
  expect(await put(1_000_000)).toBe('refused')
  for (let second = 0; second < 9; second++) expect(await isReady()).toBe(false)
  clock.pass(1_000)
  expect(await isReady()).toBe(true)
})
