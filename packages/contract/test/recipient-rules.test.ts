import { describe, expect, it } from 'vitest'
import { isAllowed, isRecipientRule, readRecipientRules } from '../src/recipient-rules.ts'

describe('a recipient rule', () => {
  it.each(['2332412', '233241234567', '233241234567890', '2*', '23324*', '233241234567890*'])(
    'is %s',
    (rule) => expect(isRecipientRule(rule)).toBe(true),
  )

  it.each(['', '*', '233241', '0244123456', '+233241234567', '2332412345678901', '233*24', '233**', 'mum'])(
    'is not %j',
    (rule) => expect(isRecipientRule(rule)).toBe(false),
  )
})

describe('the rules of a setting', () => {
  it('stand between spaces, commas or lines, and count once', () => {
    expect(readRecipientRules(' 233241234567,23320*\n44*  23320*')).toEqual(['233241234567', '23320*', '44*'])
  })

  it('may be written as numbers are', () => {
    expect(readRecipientRules('+233-24-123-4567 +23320* 233241234567')).toEqual(['233241234567', '23320*'])
  })

  it.each([
    ['', '""'],
    [' , ', '" , "'],
    ['23324', '"23324"'],
    ['23324*,mum', '"mum"'],
  ])('of %j are refused with the one that is wrong', (text, got) => {
    expect(() => readRecipientRules(text)).toThrow(`or beginnings of numbers with *, got ${got}`)
  })
})

describe('isAllowed', () => {
  const rules = new Set(['233241234567', '23320*'])

  it.each(['233241234567', '+233 24-123 4567', '233201234567', '+233 20 123 4567', '23320'])(
    'lets %s through',
    (to) => {
      expect(isAllowed(to, rules)).toBe(true)
    },
  )

  it.each(['2332412345678', '23324123456', '233211234567'])('stops %s', (to) => {
    expect(isAllowed(to, rules)).toBe(false)
  })

  it('lets no number through without rules', () => {
    expect(isAllowed('233241234567', new Set())).toBe(false)
  })
})
