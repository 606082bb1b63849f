import { micros } from '@wigwag/contract'
import { UNASKED } from '@wigwag/mcp'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { limitValues, readLimits, writtenLimits } from '../../../src/assistants/consent/limits.tsx'

const GOOD = { daily_spend: '5', daily_messages: '20', recipients: '', unasked: 'send' }
const read = (changes: Partial<typeof GOOD>) => readLimits(new URLSearchParams({ ...GOOD, ...changes }))

describe('the limits of a form', () => {
  it.each([
    ['5', 5_000_000],
    [' 0.50 ', 500_000],
    ['0', 0],
    ['0.000001', 1],
  ])('take %j as an amount', (daily_spend, dailySpend) => {
    expect(read({ daily_spend })).toEqual({
      limits: { dailySpend, dailyMessages: 20, recipients: undefined, unasked: 'send' },
    })
  })

  it('take recipients between spaces, commas and lines, each once and without its plus sign', () => {
    expect(read({ recipients: ' +233241234567,23320*\r\n44*  23320*' })).toEqual({
      limits: {
        dailySpend: 5_000_000,
        dailyMessages: 20,
        recipients: ['233241234567', '23320*', '44*'],
        unasked: 'send',
      },
    })
  })

  it.each([
    [{ daily_spend: '5,00' }, { dailySpend: 'Expected an amount such as 5 or 0.50, got “5,00”.' }],
    [{ daily_spend: '' }, { dailySpend: 'Expected an amount such as 5 or 0.50, got nothing.' }],
    [{ daily_spend: '-1' }, { dailySpend: 'Expected an amount such as 5 or 0.50, got “-1”.' }],
    [
      { daily_spend: '9'.repeat(60) },
      { dailySpend: `Expected an amount such as 5 or 0.50, got “${'9'.repeat(40)}…”.` },
    ],
    [{ daily_messages: '2.5' }, { dailyMessages: 'Expected a whole number such as 20, got “2.5”.' }],
    [{ daily_messages: '' }, { dailyMessages: 'Expected a whole number such as 20, got nothing.' }],
    [{ unasked: 'ask' }, { unasked: 'Expected send or refuse, got “ask”.' }],
    [
      { recipients: '0244123456' },
      {
        recipients:
          'Expected numbers of 7 to 15 digits with country code, or beginnings of numbers with *, got “0244123456”.',
      },
    ],
  ])('say what is wrong with %o', (changes, errors) => expect(read(changes)).toEqual({ errors }))

  it.each(['*', '0*', '233 24 123 4567', '23324*4567', '2332412345678901', '٢٣٣*'])(
    'refuse %j for recipients, which would let through nobody or everybody',
    (recipients) => expect(read({ recipients })).toHaveProperty('errors.recipients'),
  )

  it('say all that is wrong at once, and are never open where a field is missing', () => {
    const result = readLimits(new URLSearchParams())
    const wrong = expect.any(String)
    expect(result).toEqual({ errors: { dailySpend: wrong, dailyMessages: wrong, unasked: wrong } })
  })

  it('refuse more recipients than a send could be compared with', () => {
    const recipients = Array.from({ length: 501 }, (_, n) => `233${n}*`).join(' ')
    expect(read({ recipients })).toEqual({
      errors: { recipients: 'Expected at most 500 numbers and beginnings, got “501”.' },
    })
  })

  it('come back as they were written', () => {
    const rule = fc.tuple(fc.integer({ min: 1, max: 999_999 }), fc.constantFrom('*', '1234567'))
    fc.assert(
      fc.property(
        fc.nat({ max: 10 ** 12 }),
        fc.nat({ max: 10 ** 9 - 1 }),
        fc.uniqueArray(
          rule.map(([n, rest]) => `${n}${rest}`),
          { minLength: 1 },
        ),
        fc.constantFrom(...UNASKED),
        (spend, dailyMessages, recipients, unasked) => {
          const limits = { dailySpend: micros(spend), dailyMessages, recipients, unasked }
          const { dailySpend: daily_spend, dailyMessages: daily_messages, ...rest } = writtenLimits(limits)
          const form = new URLSearchParams({ daily_spend, daily_messages, ...rest })
          expect(readLimits(form)).toEqual({ limits })
          expect(limitValues(form)).toEqual(writtenLimits(limits))
        },
      ),
    )
  })
})
