import { describe, expect, it } from 'vitest'
import { checkReference } from '../../src/kernel/sent-fields.ts'
import { problemOf } from './problem-of.ts'

describe('checkReference', () => {
  it.each(['', 'order-1', 'x'.repeat(128), '😀'.repeat(128), 'Ɛyɛ 100%\n'])('accepts %j', (reference) => {
    expect(() => checkReference(reference)).not.toThrow()
  })

  it.each(['x'.repeat(129), '😀'.repeat(129), `${'😀'.repeat(100)}${'x'.repeat(29)}`, 'a\0b', 'a\ud800'])(
    'refuses %j',
    (reference) => {
      expect(problemOf(() => checkReference(reference)).code).toBe('invalid_value')
    },
  )
})
