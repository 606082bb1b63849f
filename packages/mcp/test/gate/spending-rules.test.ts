import { micros } from '@wigwag/contract'
import type { Estimate } from '@wigwag/sdk'
import { describe, expect, it } from 'vitest'
import type { DayUse, EarlierSend } from '../../src/gate/journal.ts'
import {
  type Candidate,
  checkAgreed,
  checkAllowance,
  checkDay,
  checkDuplicate,
  checkFunds,
  checkMaxCost,
  checkRecipient,
  leftAfter,
  leftAtGateway,
  priceFor,
  repeatedSend,
} from '../../src/gate/spending-rules.ts'
import { ToolError } from '../../src/refusal.ts'

const HOUR = 3_600_000
const NOON = 20_000 * 24 * HOUR + 12 * HOUR
const NEW_DAY = 'wait for the next day, which begins at 00:00 UTC, or ask the person to raise the limit.'

const candidate = (changes: Partial<Candidate> = {}): Candidate => ({
  connection: 'me',
  tool: 'send_sms',
  at: NOON,
  digest: 'hello',
  cost: micros(42_000),
  isMeant: false,
  ...changes,
})

const sent = (changes: Partial<EarlierSend> = {}): EarlierSend => ({
  id: 'send',
  digest: 'hello',
  ticket: 't',
  ...changes,
})

const used = (changes: Partial<DayUse> = {}): DayUse => ({
  messages: 0,
  spent: micros(0),
  unpriced: false,
  ...changes,
})

const allowed = (Allowance: Estimate['Allowance']): Estimate => ({
  Cost: 0.042,
  Currency: 'GHS',
  Segments: 1,
  Encoding: 'GSM-7',
  UnitPrice: 0.042,
  Country: 'GH',
  ...(Allowance && { Allowance }),
})

describe('who may be sent to', () => {
  it('is everyone without a list, and nobody with an empty one', () => {
    expect(() => checkRecipient('233241234567', {})).not.toThrow()
    expect(() => checkRecipient('233241234567', { recipients: [] })).toThrow(
      'Nothing was sent: this connection may send to no one, and not to 233241234567; ' +
        'ask the person who set it up to allow this recipient.',
    )
  })

  it('is who is on the list', () => {
    const limits = { recipients: ['23324*', '33612345678'] }
    expect(() => checkRecipient('233241234567', limits)).not.toThrow()
    expect(() => checkRecipient('233201234567', limits)).toThrow(
      'may send to 23324*, 33612345678, and not to',
    )
  })
})

describe('the price', () => {
  it('may be as much as max_cost, and not more', () => {
    expect(() => checkMaxCost(micros(42_000), 0.042)).not.toThrow()
    expect(() => checkMaxCost(micros(42_001), 0.042)).toThrow(
      'Nothing was sent: the message costs 0.042001, more than the max_cost of 0.042; ' +
        'shorten it, or ask the person for a higher max_cost.',
    )
  })

  it('may not be more than anything when max_cost is no price', () => {
    expect(() => checkMaxCost(micros(0), -1)).toThrow('Nothing was sent')
  })

  it('may be what the person agreed to, or less', () => {
    expect(() => checkAgreed(micros(42_000), micros(42_000))).not.toThrow()
    expect(() => checkAgreed(micros(41_999), micros(42_000))).not.toThrow()
    expect(() => checkAgreed(micros(42_001), micros(42_000))).toThrow(
      'Nothing was sent: the message now costs 0.042001, and the person agreed to 0.042; ' +
        'call again, so that they are asked about the new price.',
    )
  })
})

describe('a limit that needs the price', () => {
  it('has it from the estimate', () => {
    expect(priceFor('max_cost', { Cost: 0.042 })).toBe(42_000)
  })

  it('refuses a send whose price is not told, or is none', () => {
    expect(() => priceFor('the daily spend', undefined)).toThrow(
      'Nothing was sent: this gateway tells no prices, so the daily spend can not be checked; ' +
        'ask the person whether to send without this limit.',
    )
    expect(() => priceFor('max_cost', { Cost: -1 })).toThrow('this gateway gave -1 as the price, so max_cost')
  })
})

describe('what is left after a message', () => {
  it('is one message and its price less, and never below nothing', () => {
    const left = { spend: micros(50_000), messages: 2 }
    expect(leftAfter(left, micros(42_000))).toEqual({ spend: 8_000, messages: 1 })
    expect(leftAfter({ spend: micros(1), messages: 0 }, micros(42_000))).toEqual({ spend: 0, messages: 0 })
  })

  it('names only what is limited and known', () => {
    expect(leftAfter({}, micros(42_000))).toStrictEqual({})
    expect(leftAfter({ spend: micros(50_000) }, undefined)).toStrictEqual({})
    expect(leftAtGateway({})).toStrictEqual({})
    expect(leftAtGateway()).toStrictEqual({})
    expect(leftAtGateway({ Allowance: { Spend: 1, Recipient: true } })).toStrictEqual({ spend: 1_000_000 })
  })
})

describe("what the gateway's own limits leave", () => {
  it('is not known when it names none', () => {
    expect(checkAllowance(allowed(undefined), '233241234567')).toEqual({})
  })

  it('is told when it is enough, if only just', () => {
    const estimate = allowed({ Spend: 0.042, Messages: 1, Recipient: true })
    expect(checkAllowance(estimate, '233241234567')).toEqual({ messages: 1, spend: 42_000 })
  })

  it('is told without an amount that is none', () => {
    const estimate = allowed({ Spend: 2e9, Messages: 1, Recipient: true })
    expect(checkAllowance(estimate, '233241234567')).toStrictEqual({ messages: 1 })
  })

  it('forbids a recipient, the message after the last, and a price above the rest', () => {
    const check = (Allowance: Estimate['Allowance']) => () =>
      checkAllowance(allowed(Allowance), '233241234567')
    expect(check({ Spend: 1, Messages: 1, Recipient: false })).toThrow(
      'Nothing was sent: this connection may not send to 233241234567; ' +
        'ask the person who set it up to allow this recipient.',
    )
    expect(check({ Spend: 1, Messages: 0, Recipient: true })).toThrow(
      `Nothing was sent: this connection has sent all the messages that it may send today; ${NEW_DAY}`,
    )
    expect(check({ Spend: 0.041, Messages: 5, Recipient: true })).toThrow(
      'Nothing was sent: the message costs 0.042 GHS, and this connection may spend 0.041 GHS more today; ' +
        NEW_DAY,
    )
  })

  it('is money that the wallet has, as far as that is known', () => {
    expect(() => checkFunds(allowed(undefined), { balance: 0.042 })).not.toThrow()
    expect(() => checkFunds(allowed(undefined), undefined)).not.toThrow()
    expect(() => checkFunds(allowed(undefined), { balance: 0.041 })).toThrow(
      'Nothing was sent: the message costs 0.042 GHS and the wallet can spend 0.041 GHS; ' +
        'ask the person to have the wallet topped up.',
    )
  })
})

describe('a repeat', () => {
  it('is one with the same key and the same message', () => {
    const earlier = sent()
    const known = { keyed: [earlier, sent({ id: 'later' })], copied: false }
    expect(repeatedSend(known, candidate({ key: 'k' }))).toBe(earlier)
    expect(repeatedSend({ keyed: [], copied: false }, candidate({ key: 'k' }))).toBeUndefined()
  })

  it('is refused with another message', () => {
    const keyed = [sent({ digest: 'earlier' })]
    expect(() => repeatedSend({ keyed, copied: false }, candidate({ key: 'k' }))).toThrow(
      'Nothing was sent: the idempotency_key k was used for another message; use a new key for a new message.',
    )
  })

  it('counts as a new message once any key has given two tickets', () => {
    expect(repeatedSend({ keyed: [sent()], copied: true }, candidate({ key: 'k' }))).toBeUndefined()
  })
})

describe('the same message again', () => {
  const again = (twin: EarlierSend | undefined, isMeant = false) => {
    return () => checkDuplicate(twin, candidate({ isMeant }))
  }

  it('is refused, with the ticket of the first', () => {
    expect(again(sent())).toThrow(
      'Nothing was sent: the same message was sent less than two minutes ago, and its ticket is t; ' +
        'call again with a new idempotency_key if it is meant to go out twice.',
    )
    expect(again(sent({ ticket: undefined }))).toThrow('its ticket is not known yet')
  })

  it('is refused in a form that tools can tell', () => {
    let refusal: unknown
    try {
      again(sent())()
    } catch (error) {
      refusal = error
    }
    expect(refusal).toBeInstanceOf(ToolError)
  })

  it('goes out when there is none, or when it is meant', () => {
    expect(again(undefined)).not.toThrow()
    expect(again(sent(), true)).not.toThrow()
  })
})

describe('a day', () => {
  it('has room without limits', () => {
    expect(checkDay(used({ unpriced: true }), candidate(), {})).toEqual({})
  })

  it('takes as many messages as it may, and says how many are left', () => {
    const limits = { dailyMessages: 3 }
    expect(checkDay(used({ messages: 2 }), candidate(), limits)).toEqual({ messages: 1 })
    expect(() => checkDay(used({ messages: 3 }), candidate(), limits)).toThrow(
      `Nothing was sent: this connection may send 3 messages a day, and 3 are sent or in progress; ${NEW_DAY}`,
    )
    expect(() => checkDay(used({ messages: 1 }), candidate(), { dailyMessages: 1 })).toThrow(
      'may send 1 message a day',
    )
  })

  it('spends as much as it may, and says what is left', () => {
    const before = used({ messages: 2, spent: micros(84_000) })
    const limits = { dailySpend: micros(126_000), dailyMessages: 9 }
    expect(checkDay(before, candidate(), limits)).toEqual({ messages: 7, spend: 42_000 })
    expect(() => checkDay(before, candidate({ cost: micros(42_001) }), limits)).toThrow(
      'Nothing was sent: the message costs 0.042001, and 0.042 is left of the 0.126 that this connection may spend a ' +
        `day; ${NEW_DAY}`,
    )
    expect(() => checkDay(used({ spent: micros(200_000) }), candidate(), limits)).toThrow('and 0 is left of')
  })

  it('does not ask for money when the price is not known', () => {
    const spent = used({ spent: micros(42_000) })
    expect(checkDay(spent, candidate({ cost: null }), { dailySpend: micros(1) })).toEqual({})
  })

  it('spends nothing while the price of an earlier message is not known', () => {
    expect(() => checkDay(used({ unpriced: true }), candidate(), { dailySpend: micros(1_000_000) })).toThrow(
      'Nothing was sent: the price of a message sent today is not known, nor is what is left of the ' +
        `daily spend; ${NEW_DAY}`,
    )
  })
})
