import { expect } from 'vitest'
import { Problem } from '../../src/kernel/errors.ts'

/** The problem that an action refuses with; fails the test when it does not refuse, or not in a sentence. */
export function problemOf(action: () => unknown): Problem {
  try {
    action()
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    expect(error.message).toMatch(/^[A-Z][\s\S]*\.$/)
    return error
  }
  throw new Error('expected a problem, got none')
}
