import { describe, expect, it } from 'vitest'
import { epochMs } from '../../src/kernel/ids.ts'
import { readFilter, withTerm } from '../../src/web/console/callbacks/filter.ts'

const NOW = epochMs(Date.parse('2026-11-21T21:10:04.125Z'))
const TICKET = '01a1f89c-3b65-7c3a-9f0e-2b6d5a1c8e4f'
const NONE = { state: undefined, ticket: undefined, since: undefined }

describe('the filter of callbacks', () => {
  it.each([
    ['', {}],
    ['state:dead', { state: 'dead' }],
    [`ticket:${TICKET.toUpperCase()}`, { ticket: TICKET }],
    [`  ${TICKET}  state:pending `, { ticket: TICKET, state: 'pending' }],
    ['since:30m', { since: Date.parse('2026-11-21T20:40:04.125Z') }],
    ['since:6h', { since: Date.parse('2026-11-21T15:10:04.125Z') }],
    ['since:2d', { since: Date.parse('2026-11-19T21:10:04.125Z') }],
    ['since:2w', { since: Date.parse('2026-11-07T21:10:04.125Z') }],
    ['since:2026-11-20', { since: Date.parse('2026-11-20T00:00:00Z') }],
    ['since:2026-11-20T09:30', { since: Date.parse('2026-11-20T09:30:00Z') }],
    ['since:2026-11-20T09:30:15.5Z', { since: Date.parse('2026-11-20T09:30:15.500Z') }],
    ['since:9999w', { since: 0 }],
  ])('reads %j', (q, filter) => {
    expect(readFilter(q, NOW)).toMatchObject({ filter: { ...NONE, ...filter } })
  })

  it.each([
    ['state:given-up', 'Expected state:pending, state:delivered or state:dead.'],
    ['status:dead', 'There is no “status:” here. Did you mean “state:”?'],
    ['sinse:2d', 'There is no “sinse:” here. Did you mean “since:”?'],
    ['to:233241234567', '“to:233241234567” is no term of this filter.'],
    ['hello', '“hello” is no term of this filter.'],
    ['state:dead state:pending', '“state:” is there twice.'],
    ['ticket:01a1', 'Expected ticket: with a whole ticket.'],
    ['since:yesterday', 'Expected since: with 30m, 6h, 2d or 2w'],
    ['since:2026-13-45', 'Expected since: with 30m, 6h, 2d or 2w'],
    ['constructor:1', '“constructor:1” is no term'],
  ])('reads nothing in %j, and says why', (q, wrong) => {
    expect(readFilter(q, NOW)).toEqual({ wrong: expect.stringContaining(wrong) })
  })

  it('sets one term and keeps the others', () => {
    const read = readFilter('since:2d state:dead', NOW)
    const terms = 'terms' in read ? read.terms : new Map()
    expect(withTerm(terms, 'state', 'pending')).toBe('state:pending since:2d')
    expect(withTerm(terms, 'state', undefined)).toBe('since:2d')
  })
})
