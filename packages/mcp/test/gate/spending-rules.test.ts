import { micros } from '@wigwag/contract'
import type { Estimate } from '@wigwag/sdk'
import { describe, expect, it } from 'vitest'
import type { RecordedSend } from '../../src/gate/journal.ts'
import {
  type Candidate,
  checkAgreed,
  checkAllowance,
  checkDay,
  checkDuplicate,
  checkMaxCost,
  checkRecipient,
  repeatedSend,
} from '../../src/gate/spending-rules.ts'

const HOUR = 3_600_000
const NOON = 20_000 * 24 * HOUR + 12 * HOUR
const NEW_DAY = 'A new day begins at 00:00 UTC; only the person who set the limit can change it.'

const candidate = (changes: Partial<Candidate> = {}): Candidate => ({
  at: NOON,
  digest: 'hello',
  cost: micros(42_000),
  key: undefined,
  isMeant: false,
  ...changes,
})

const sent = (changes: Partial<RecordedSend> = {}): RecordedSend => ({
  at: NOON - HOUR,
  digest: 'earlier',
  cost: micros(42_000),
  keys: new Set(['k']),
  tickets: new Set(['t']),
  ...{ id: 'send', connection: 'me', tool: 'send_sms', attempts: 1, failures: 0 },
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
      'Nothing was sent: this connection may send to no one, and not to 233241234567. ' +
        'Only the person who set it up can allow more recipients.',
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
      'Nothing was sent: the message costs 0.042001, more than the max_cost of 0.042. ' +
        'Shorten it, or ask the person for a higher max_cost.',
    )
  })

  it('may not be more than anything when max_cost is no price', () => {
    expect(() => checkMaxCost(micros(0), -1)).toThrow('Nothing was sent')
  })

  it('may be what the person agreed to, or less', () => {
    expect(() => checkAgreed(micros(42_000), micros(42_000))).not.toThrow()
    expect(() => checkAgreed(micros(41_999), micros(42_000))).not.toThrow()
    expect(() => checkAgreed(micros(42_001), micros(42_000))).toThrow(
      'Nothing was sent: the message now costs 0.042001, and the person agreed to 0.042. ' +
        'Call again, so that they are asked about the new price.',
    )
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
      'Nothing was sent: this connection may not send to 233241234567. ' +
        'Only the person who set it up can allow more recipients.',
    )
    const left = (messages: number, spend: number) =>
      `Nothing was sent: this connection may send ${messages} more messages today and spend ${spend} GHS; ` +
      `the message costs 0.042 GHS. ${NEW_DAY}`
    expect(check({ Spend: 1, Messages: 0, Recipient: true })).toThrow(left(0, 1))
    expect(check({ Spend: 0.041, Messages: 5, Recipient: true })).toThrow(left(5, 0.041))
  })
})

describe('a repeat', () => {
  it('is one with the same key and the same message, less than 23 hours later', () => {
    const earlier = sent({ digest: 'hello' })
    expect(repeatedSend([earlier], candidate({ key: 'k' }))).toBe(earlier)
    expect(repeatedSend([earlier], candidate({ key: 'other' }))).toBeUndefined()
    expect(repeatedSend([sent({ digest: 'hello', keys: new Set() })], candidate())).toBeUndefined()
    const late = (at: number) => repeatedSend([sent({ digest: 'hello', at })], candidate({ key: 'k' }))
    expect(late(NOON - 23 * HOUR + 1)).toBeDefined()
    expect(late(NOON - 23 * HOUR)).toBeUndefined()
  })

  it('is refused with another message', () => {
    expect(() => repeatedSend([sent()], candidate({ key: 'k' }))).toThrow(
      'Nothing was sent: the idempotency_key k was used for another message. Use a new key for a new message.',
    )
  })

  it('counts as a new message once any key has given two tickets', () => {
    const earlier = sent({ digest: 'hello' })
    const twice = sent({ keys: new Set(['twice']), tickets: new Set(['t1', 't2']) })
    expect(repeatedSend([earlier, twice], candidate({ key: 'k' }))).toBeUndefined()
  })
})

describe('the same message again', () => {
  const again = (changes: Partial<RecordedSend>, isMeant = false) => {
    return () => checkDuplicate([sent({ digest: 'hello', ...changes })], candidate({ isMeant }))
  }

  it('is refused within two minutes, with the ticket of the first', () => {
    expect(again({ at: NOON - 119_999 })).toThrow(
      'Nothing was sent: the same message was sent less than two minutes ago; its ticket is t. If it is meant to go out ' +
        'twice, call again with a new idempotency_key.',
    )
    expect(again({ at: NOON - 119_999, tickets: new Set() })).toThrow('its ticket is not known yet')
  })

  it('goes out after that, with another text, or when it is meant', () => {
    expect(again({ at: NOON - 120_000 })).not.toThrow()
    expect(again({ at: NOON, digest: 'other' })).not.toThrow()
    expect(again({ at: NOON }, true)).not.toThrow()
  })
})

describe('a day', () => {
  it('has room without limits', () => {
    expect(checkDay([sent({ cost: null })], candidate(), {})).toEqual({})
  })

  it('takes as many messages as it may, each copy counted, and says how many are left', () => {
    const limits = { dailyMessages: 3 }
    expect(checkDay([sent(), sent()], candidate(), limits)).toEqual({ messages: 1 })
    const copies = sent({ tickets: new Set(['t1', 't2', 't3']) })
    expect(() => checkDay([copies], candidate(), limits)).toThrow(
      `Nothing was sent: this connection may send 3 messages a day, and 3 are sent or in progress. ${NEW_DAY}`,
    )
  })

  it('begins at midnight in UTC', () => {
    const yesterday = sent({ at: NOON - 12 * HOUR - 1 })
    expect(checkDay([yesterday], candidate(), { dailyMessages: 1 })).toEqual({ messages: 1 })
    expect(() => checkDay([sent({ at: NOON - 12 * HOUR })], candidate(), { dailyMessages: 1 })).toThrow()
  })

  it('spends as much as it may, each copy counted, and says what is left', () => {
    const copies = sent({ tickets: new Set(['t1', 't2']) })
    const limits = { dailySpend: micros(126_000), dailyMessages: 9 }
    expect(checkDay([copies], candidate(), limits)).toEqual({ messages: 7, spend: 42_000 })
    expect(() => checkDay([copies], candidate({ cost: micros(42_001) }), limits)).toThrow(
      'Nothing was sent: the message costs 0.042001, and 0.042 is left of the 0.126 that this connection may spend a ' +
        `day. ${NEW_DAY}`,
    )
    expect(() => checkDay([sent({ cost: micros(200_000) })], candidate(), limits)).toThrow('and 0 is left of')
  })

  it('does not ask for money when the price is not known', () => {
    expect(checkDay([sent()], candidate({ cost: undefined }), { dailySpend: micros(1) })).toEqual({})
  })

  it('spends nothing while the price of an earlier message is not known', () => {
    expect(() =>
      checkDay([sent(), sent({ cost: null })], candidate(), { dailySpend: micros(1_000_000) }),
    ).toThrow(
      'Nothing was sent: the price of a message sent today is not known, so what is left of the daily spend is ' +
        `not known. ${NEW_DAY}`,
    )
  })
})
