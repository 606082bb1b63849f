import { describe, expect, it } from 'vitest'
import { checkSender } from '../../src/kernel/sent-fields.ts'
import { problemOf } from './problem-of.ts'

describe('checkSender', () => {
  it.each(['A', 'Wigwag', 'My Shop 24', '24 Seven', 'ABCDEFGHIJK', '123', '233241234567', '123456789012345'])(
    'accepts %j',
    (from) => {
      expect(() => checkSender(from)).not.toThrow()
    },
  )

  it.each([
    ['', 'empty'],
    ['ABCDEFGHIJKL', 'twelve characters'],
    [' Shop', 'a space before'],
    ['Shop ', 'a space after'],
    ['Shop\n', 'a line break'],
    ['12', 'two digits'],
    ['1234567890123456', 'sixteen digits'],
    ['12 34', 'no letter'],
    ['Café', 'a letter beyond ASCII'],
    ['A_B', 'an underscore'],
    ['+233241', 'a plus sign'],
    ['А', 'a Cyrillic look-alike'],
  ])('refuses %j: %s', (from) => {
    const problem = problemOf(() => checkSender(from))
    expect(problem.code).toBe('invalid_sender')
    expect(problem.message).toContain(JSON.stringify(from))
  })
})
