import { InvalidArgumentError } from 'commander'
import { describe, expect, it } from 'vitest'
import * as readers from '../../src/cli/arguments.ts'
import { TWO_FULL_STOPS } from '../support/full-stops.ts'

/** None of these is right for any argument. */
const WRONG = ['', ' ', 'x'.repeat(300), '\n']

describe('an argument that is wrong', () => {
  it.each(Object.entries(readers))('is answered by %s with one sentence', (_, read) => {
    const said = WRONG.map((text) => {
      try {
        read(text)
        return undefined
      } catch (error) {
        expect(error).toBeInstanceOf(InvalidArgumentError)
        return error instanceof Error ? error.message : ''
      }
    }).filter((text) => text !== undefined)
    expect(said.length).toBeGreaterThan(0)
    for (const text of said) {
      expect(text).toMatch(/^[A-Z][\s\S]*\.$/)
      expect(text).not.toMatch(TWO_FULL_STOPS)
    }
  })
})
