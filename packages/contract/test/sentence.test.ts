import { expect, it } from 'vitest'
import { asSentence } from '../src/text/sentence.ts'

it.each(['expected a number', 'expected a number.', 'expected a number..', 'expected a number. '])(
  'ends %j with one full stop',
  (text) => expect(asSentence(text)).toBe('expected a number.'),
)
