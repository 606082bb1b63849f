import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { epochMs, isTicket, TicketMaker } from '../../src/kernel/ids.ts'

const NOW = 1_750_000_000_000
const V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

const millisecondsOf = (ticket: string) => Number.parseInt(ticket.replace('-', '').slice(0, 12), 16)

describe('TicketMaker', () => {
  it('makes UUIDs of version 7 that carry the time', () => {
    const makeTicket = new TicketMaker(randomBytes).make
    const ticket = makeTicket(NOW)
    expect(ticket).toMatch(V7)
    expect(isTicket(ticket)).toBe(true)
    expect(millisecondsOf(ticket)).toBe(NOW)
  })

  it('fills everything but time, version and variant from the random bytes', () => {
    const ones = new TicketMaker((size) => new Uint8Array(size).fill(0xff)).make
    expect(ones(NOW)).toBe('01977420-dc00-77ff-bfff-ffffffffffff')
    const zeros = new TicketMaker((size) => new Uint8Array(size)).make
    expect(zeros(NOW)).toBe('01977420-dc00-7000-8000-000000000000')
  })

  it('rises strictly within one millisecond, past the end of its counter', () => {
    const makeTicket = new TicketMaker(randomBytes).make
    const tickets = Array.from({ length: 20_000 }, () => makeTicket(NOW))
    expect(tickets).toEqual([...new Set(tickets)].sort())
    expect(millisecondsOf(tickets.at(-1) ?? '')).toBeLessThan(NOW + 12)
  })

  it('rises strictly however the clock jumps', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -5_000, max: 5_000 }), { maxLength: 300 }), (steps) => {
        const makeTicket = new TicketMaker(randomBytes).make
        const tickets = steps.map((step) => makeTicket(NOW + step))
        expect(tickets).toEqual([...new Set(tickets)].sort())
        expect(tickets.every((ticket) => V7.test(ticket))).toBe(true)
      }),
    )
  })

  it('rises strictly when the clock counts in fractions', () => {
    const makeTicket = new TicketMaker(randomBytes).make
    const tickets = Array.from({ length: 1_000 }, (_, i) => makeTicket(NOW + i / 100))
    expect(tickets).toEqual([...new Set(tickets)].sort())
  })

  it('never repeats across pools of random bytes, nor across makers that share their memory', () => {
    const memory = new Uint8Array(65_536)
    const random = (size: number) => {
      const bytes = memory.subarray(0, size)
      bytes.set(randomBytes(size))
      return bytes
    }
    const makers = [new TicketMaker(random).make, new TicketMaker(random).make]
    const times = Array.from({ length: 3_000 }, (_, i) => NOW + i)
    const tails = times.flatMap((time) => makers.map((makeTicket) => makeTicket(time).slice(19)))
    expect(new Set(tails).size).toBe(6_000)
  })

  it('refuses to make tickets from too few random bytes or an impossible time', () => {
    expect(() => new TicketMaker(() => new Uint8Array(16)).make(NOW)).toThrow('random bytes')
    expect(() => new TicketMaker(randomBytes).make(2 ** 48)).toThrow('48 bits')
    expect(() => new TicketMaker(randomBytes).make(Number.NaN)).toThrow('48 bits')
  })
})

describe('isTicket', () => {
  it.each(['01977420-dc00-77ff-bfff-ffffffffffff', '550E8400-E29B-41D4-A716-446655440000'])(
    'knows %s',
    (text) => {
      expect(isTicket(text)).toBe(true)
    },
  )

  it.each([
    '',
    'ticket',
    '01977420dc0077ffbfffffffffffffff',
    '01977420-dc00-77ff-bfff-fffffffffffg',
    '01977420-dc00-77ff-bfff-ffffffffffff\n',
    '{01977420-dc00-77ff-bfff-ffffffffffff}',
  ])('does not know %j', (text) => {
    expect(isTicket(text)).toBe(false)
  })
})

describe('epochMs', () => {
  it('takes whole milliseconds since 1970 only', () => {
    expect(epochMs(NOW)).toBe(NOW)
    for (const n of [-1, 0.5, Number.NaN, 2 ** 53]) expect(() => epochMs(n)).toThrow(RangeError)
  })
})
