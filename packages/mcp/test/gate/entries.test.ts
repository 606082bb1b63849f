import { micros } from '@wigwag/contract'
import { describe, expect, it } from 'vitest'
import { type Entry, knownOf } from '../../src/gate/entries.ts'

const HOUR = 3_600_000
const NOON = 20_000 * 24 * HOUR + 12 * HOUR

const asked = { connection: 'me', tool: 'send_sms', at: NOON, digest: 'hello', cost: micros(42_000) }

let ids = 0
/** The entries of a send that was made: an attempt, and an end for each ticket. */
function sent(at: number, changes: { key?: string; cost?: number | null; tickets?: string[] } = {}): Entry[] {
  const { key, cost = 42_000, tickets = ['t'] } = changes
  const id = `send-${ids++}`
  return [
    { ...asked, kind: 'attempt', id, at, cost, ...(key && { key }) },
    ...tickets.map((ticket): Entry => ({ kind: 'end', id, at, outcome: 'sent', ticket })),
  ]
}

describe('what a list of entries says of an attempt', () => {
  it('names the sends with its key, for 23 hours', () => {
    const keyed = (at: number, key?: string) =>
      knownOf(sent(at, { key: 'k' }), { ...asked, key }).keyed.map(({ ticket }) => ticket)
    expect(keyed(NOON - 23 * HOUR + 1, 'k')).toEqual(['t'])
    expect(keyed(NOON - 23 * HOUR, 'k')).toEqual([])
    expect(keyed(NOON, 'other')).toEqual([])
    expect(keyed(NOON)).toEqual([])
  })

  it('names the latest equal message, for two minutes', () => {
    const twin = (at: number, digest = 'hello') => knownOf(sent(at), { ...asked, digest }).twin
    expect(twin(NOON - 119_999)).toMatchObject({ ticket: 't' })
    expect(twin(NOON - 120_000)).toBeUndefined()
    expect(twin(NOON, 'other')).toBeUndefined()
    const two = [...sent(NOON - 2, { tickets: ['a'] }), ...sent(NOON - 1, { tickets: ['b'] })]
    expect(knownOf(two, asked).twin).toMatchObject({ ticket: 'b' })
  })

  it('sums the day, which begins at midnight in UTC, with each copy of a message', () => {
    const day = (...entries: Entry[][]) => knownOf(entries.flat(), asked).day
    expect(day(sent(NOON - 12 * HOUR - 1))).toEqual({ messages: 0, spent: 0, unpriced: false })
    expect(day(sent(NOON - 12 * HOUR), sent(NOON, { cost: null }))).toEqual({
      messages: 2,
      spent: 42_000,
      unpriced: true,
    })
    const copies = sent(NOON, { tickets: ['t1', 't2'] })
    expect(day(copies)).toEqual({ messages: 2, spent: 84_000, unpriced: false })
    expect([knownOf(copies, asked).copied, knownOf(sent(NOON), asked).copied]).toEqual([true, false])
  })
})
