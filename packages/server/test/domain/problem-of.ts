import { Problem } from '../../src/domain/errors.ts'

/** The problem that an action refuses with; fails the test when it does not refuse. */
export function problemOf(action: () => unknown): Problem {
  try {
    action()
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
  throw new Error('expected a problem, got none')
}
