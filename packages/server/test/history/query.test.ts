import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { epochMs } from '../../src/kernel/ids.ts'
import { STATUSES } from '../../src/kernel/message.ts'
import { EVERYTHING, type MessageFilter } from '../../src/messages/history/index-ranges.ts'
import { type Query, readQuery } from '../../src/messages/history/query.ts'
import { replaced, termsOf, withTerm } from '../../src/messages/history/query-terms.ts'

const NOW = epochMs(Date.parse('2026-11-21T21:10:04.000Z'))
const TICKET = '01a1f8b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b'
const read = (q: string) => readQuery(q, NOW)
const at = (iso: string) => Date.parse(iso)

function filtered(q: string): { words: readonly string[] } & Partial<MessageFilter> {
  const query = read(q)
  if (query.kind !== 'filter') throw new Error(`not a filter: ${JSON.stringify(query)}`)
  const given = Object.entries(query.filter).filter(([, value]) => value !== undefined)
  return { words: query.words, ...Object.fromEntries(given) }
}

function wrong(q: string): Extract<Query, { kind: 'wrong' }> {
  const query = read(q)
  if (query.kind !== 'wrong') throw new Error(`not wrong: ${JSON.stringify(query)}`)
  return query
}

describe('a filter', () => {
  const cases: [q: string, filter: Partial<MessageFilter> & { words?: string[] }][] = [
    ['', {}],
    ['  ', {}],
    ['to:233241234567', { recipient: '233241234567' }],
    ['to:+233241234567', { recipient: '233241234567' }],
    ['to:+233 24 123 4567', { recipient: '233241234567' }],
    ['to:"+233 24-123-4567"', { recipient: '233241234567' }],
    ['to:233241234567 1042', { recipient: '233241234567', words: ['1042'] }],
    ['233241234567', { recipient: '233241234567' }],
    ['+233 24 123 4567 late', { recipient: '233241234567', words: ['late'] }],
    ['233 24 1234567', { recipient: '233241234567' }],
    ['1042', { words: ['1042'] }],
    ['481 920', { words: ['481', '920'] }],
    ['"481 920"', { words: ['481 920'] }],
    ['"233241234567"', { words: ['233241234567'] }],
    ['from:MAKOLA', { sender: 'MAKOLA' }],
    ['FROM:MAKOLA', { sender: 'MAKOLA' }],
    ['from:"MAKOLA FRESH" order', { sender: 'MAKOLA FRESH', words: ['order'] }],
    ['from:“MAKOLA FRESH”', { sender: 'MAKOLA FRESH' }],
    ['reference:order-1042', { reference: 'order-1042' }],
    ['Reference:"Order 1042" late', { reference: 'Order 1042', words: ['late'] }],
    ['reference:233241234567', { reference: '233241234567' }],
    ['status:failed', { statuses: ['failed'] }],
    ['status:Failed,expired,', { statuses: ['failed', 'expired'] }],
    ['status:delivered', { statuses: ['success'] }],
    ['status:delivered,success', { statuses: ['success'] }],
    ['since:30m', { createdFrom: epochMs(NOW - 1_800_000) }],
    ['since:6h', { createdFrom: epochMs(NOW - 6 * 3_600_000) }],
    ['until:2d', { createdBefore: epochMs(NOW - 2 * 86_400_000) }],
    ['since:2W', { createdFrom: epochMs(NOW - 14 * 86_400_000) }],
    ['since:999999w', { createdFrom: epochMs(0) }],
    ['since:2026-11-20', { createdFrom: epochMs(at('2026-11-20T00:00:00Z')) }],
    ['until:2026-11-20', { createdBefore: epochMs(at('2026-11-21T00:00:00Z')) }],
    ['since:2026-11-20T09:30', { createdFrom: epochMs(at('2026-11-20T09:30:00Z')) }],
    ['until:2026-11-20T09:30:15.5Z', { createdBefore: epochMs(at('2026-11-20T09:30:15.500Z')) }],
    ['since:"2026-11-20 09:30"', { createdFrom: epochMs(at('2026-11-20T09:30:00Z')) }],
    [
      'since:2026-11-20 until:2026-11-20',
      { createdFrom: epochMs(at('2026-11-20')), createdBefore: epochMs(at('2026-11-21')) },
    ],
    ['"https://makola.example/t/1042"', { words: ['https://makola.example/t/1042'] }],
    ['"from:MAKOLA"', { words: ['from:MAKOLA'] }],
    ['14:00', { words: ['14:00'] }],
    ['"never closed', { words: ['never closed'] }],
    ['""', {}],
    [`${TICKET.slice(0, 8)}`, { words: ['01a1f8b2'] }],
  ]

  it.each(cases)('reads %j', (q, { words = [], ...filter }) => {
    expect(filtered(q)).toEqual({ words, ...filter })
  })

  it.each([TICKET, ` ${TICKET.toUpperCase()} `, `"${TICKET}"`])('opens the message of a ticket: %j', (q) => {
    expect(read(q)).toEqual({ kind: 'ticket', ticket: TICKET })
  })

  it.each([
    ['form:MAKOLA', '“form:”', 'from:MAKOLA'],
    ['late form:"MAKOLA FRESH"', '“form:”', 'from:"MAKOLA FRESH"'],
    ['stauts:failed', '“stauts:”', 'status:failed'],
    ['state:failed', '“state:”', 'status:failed'],
    ['ref:order-1042', '“ref:”', 'reference:order-1042'],
    ['refrence:order-1042', '“refrence:”', 'reference:order-1042'],
    ['reference:', '“reference:” has no value', undefined],
    ['reference:a\0b', 'without NUL', undefined],
    [`reference:${'x'.repeat(129)}`, 'of at most 128 characters', undefined],
    ['recipient:233241234567', '“recipient:”', 'to:233241234567'],
    ['constructor:x', '“constructor:”', '"constructor:x"'],
    ['https://makola.example', '“https:”', '"https://makola.example"'],
    ['status:fialed', '“fialed”', 'status:failed'],
    ['status:constructor', '“constructor”', undefined],
    ['status:failed,delivred', '“delivred”', 'status:failed,delivered'],
    ['status:failed late status:expired', 'twice', 'status:failed,expired'],
    ['to:233241234567 233201234567', 'twice', 'to:233241234567'],
    ['to:0241234567', '“0241234567” is not a number', undefined],
    ['to:Ama', '“Ama” is not a number', undefined],
    ['to:', '“to:” has no value', undefined],
    ['status:', '“status:” has no value', undefined],
    ['status:,', 'is not a status', undefined],
    ['since:yesterday', '“yesterday” is not a time', undefined],
    ['since:2026-02-30', '“2026-02-30” is not a time', undefined],
    ['since:2026-11-20T25:00', 'is not a time', undefined],
    ['since:2y', '“2y” is not a time', undefined],
    ['since:1d until:2d', '“since:” is not before “until:”', undefined],
    ['x'.repeat(501), 'at most 500 characters', undefined],
  ])('says what is wrong with %j, and what was probably meant', (q, problem, typed) => {
    const found = wrong(q)
    expect(found.problem).toContain(problem)
    expect(found.instead?.typed).toBe(typed)
  })

  it('keeps the other terms in what was probably meant', () => {
    expect(wrong('"two words" form:MAKOLA since:2d').instead?.q).toBe('"two words" from:MAKOLA since:2d')
    expect(wrong('a status:failed b status:expired').instead?.q).toBe('a status:failed,expired b')
  })

  it('that was probably meant is right', () => {
    for (const q of ['form:A', 'https://a.example', 'status:fialed', 'to:233241234567 233201234567']) {
      expect(read(wrong(q).instead?.q ?? '').kind).toBe('filter')
    }
  })
})

describe('any text', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      'to:',
      'from:',
      'reference:',
      'status:',
      'since:',
      'until:',
      'form:',
      '"',
      '“',
      ' ',
      '+',
      ',',
      ':',
    ),
    fc.constantFrom('2d', '2026-11-20', 'T09:30', 'failed', 'delivered', TICKET, '__proto__', 'toString:'),
    fc.stringMatching(/^\d{1,16}$/),
    fc.string({ unit: 'binary', maxLength: 8 }),
  )
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(piece, { maxLength: 14 }).map((pieces) => pieces.join('')),
  )

  it('is a filter, a ticket or wrong, and never fails', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 0, max: 4e12 }), (q, now) => {
        const query = readQuery(q, epochMs(now))
        expect(['filter', 'ticket', 'wrong']).toContain(query.kind)
        if (query.kind !== 'filter') return
        expect(Object.keys(query.filter)).toEqual(Object.keys(EVERYTHING))
        expect(query.filter.statuses?.every((status) => STATUSES.includes(status)) ?? true).toBe(true)
        expect(query.filter.createdFrom ?? 0).toBeGreaterThanOrEqual(0)
        // Only a text without any words gives a filter without terms.
        if (query.terms.length === 0) expect(q.replace(/["“”\s]/gu, '')).toBe('')
      }),
      { numRuns: 3_000 },
    )
  })

  it('means the same after its terms were put together again', () => {
    fc.assert(
      fc.property(text, (q) => {
        const query = readQuery(q, NOW)
        fc.pre(query.kind === 'filter')
        const again = readQuery(
          termsOf(q)
            .map(({ typed }) => typed)
            .join(' '),
          NOW,
        )
        expect(again).toEqual(query)
      }),
      { numRuns: 2_000 },
    )
  })

  it('keeps its other terms when one is set or left out', () => {
    const terms = termsOf('a status:failed "b c" to:+233 24 123 4567')
    expect(withTerm(terms, 'status', 'status:pending')).toBe('a "b c" to:+233 24 123 4567 status:pending')
    expect(withTerm(terms, 'status', undefined)).toBe('a "b c" to:+233 24 123 4567')
    expect(withTerm(termsOf('"never closed'), 'status', 'status:pending')).toBe(
      '"never closed" status:pending',
    )
    const [first] = terms
    expect(first && replaced(terms, first, undefined)).toBe('status:failed "b c" to:+233 24 123 4567')
  })
})
