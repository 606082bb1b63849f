import { describe, expect, it } from 'vitest'
import {
  CANCELLED,
  DELIVERED,
  failed,
  historyWith,
  made,
  search,
  seen,
  send,
  troublesBy,
  unknown,
} from './hand-made.ts'
import { checkOnce } from './once.ts'

const troubles = troublesBy(checkOnce)

const inTheEnd = (...found: Parameters<typeof search>[2]) => search(10, [1_010, 1_011], found)
const expired = (ticket: string, mark: string) => seen(ticket, mark, 'expired')
const taken = (mark: string) => ({ mark, destination: '1', part: 1 })

describe('a request', () => {
  it('finds nothing where there is nothing', () => {
    expect(troubles()).toEqual([])
  })

  it('that was acknowledged is there, whole', () => {
    expect(troubles(inTheEnd(CANCELLED))).toContain('w sendSms k: t1 was acknowledged and is not there')
    const bulk = send(20, [40, 50], { mark: 'b', to: ['1', '2'] }, made('t3', 't4'))
    const some = inTheEnd(DELIVERED, CANCELLED, expired('t3', 'b'))
    expect(troubles(bulk, some)).toEqual([
      'the send 20: 1 messages are there for 2',
      'the send 20: t4 was acknowledged and is not there',
    ])
  })

  it('is there once', () => {
    expect(troubles(inTheEnd(DELIVERED, CANCELLED, expired('t3', 'a')))).toEqual([
      'w sendSms k: 2 messages are there for 1',
    ])
  })

  it('whose answer was lost is there or not', () => {
    const lost = send(20, [40, 50], { mark: 'b' }, unknown)
    expect(troubles(lost)).toEqual([])
    expect(troubles(lost, inTheEnd(DELIVERED, CANCELLED, expired('t3', 'b')))).toEqual([])
  })

  it('that was refused is not there', () => {
    const refused = send(20, [40, 50], { mark: 'b' }, failed('insufficient_funds'))
    expect(troubles(refused, inTheEnd(DELIVERED, CANCELLED, expired('t3', 'b')))).toEqual([
      'the send 20: it was refused, and sent',
    ])
  })

  it('is the only one of its key', () => {
    const other = send(20, [40, 50], { mark: 'b', key: 'k' }, unknown)
    expect(troubles(other, inTheEnd(DELIVERED, CANCELLED, expired('t3', 'b')))).toEqual([
      'w sendSms k: messages of 2 bodies are there',
    ])
  })
})

describe('a message', () => {
  it('was asked for', () => {
    expect(troubles(inTheEnd(DELIVERED, CANCELLED, expired('t3', 'b')))).toEqual([
      't3 is there, and was not sent',
    ])
  })

  it('stays, and comes to an end', () => {
    expect(troubles(search(20, [40, 50], [expired('t3', 'b')], 'b'))).toEqual(['t3 was there, and is gone'])
    expect(troubles(inTheEnd(DELIVERED, seen('t2', 's', 'pending')))).toEqual(['t2 is pending for ever'])
  })

  it.each([
    ['twice', [taken('a'), taken('a')], 'the carrier took a to 1, part 1 2 times'],
    ['after it was cancelled', [taken('a'), taken('s')], 'the carrier took s, which was cancelled'],
    ['and was never sent', [taken('a'), taken('b')], 'the carrier took 1 parts of b, which was never sent'],
    ['not at all, and is delivered', [], 'the carrier took 0 parts of a, of which 1 were delivered'],
  ])('is not taken by the carrier %s', (_, all, what) => {
    expect(checkOnce(historyWith([], all)).map((violation) => violation.what)).toEqual([what])
  })
})
