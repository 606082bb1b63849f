import { DrizzleQueryError } from 'drizzle-orm/errors'

/** What PostgreSQL adds that may quote rows and values: "Failing row contains (…)". */
const QUOTING = ['detail', 'where', 'internalQuery'] as const

/**
 * The error of a statement, without the values that were in it: errors are logged, and the values are addresses, numbers
 * and hashes.
 */
export function withoutValues(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  if (error instanceof DrizzleQueryError) {
    const { message, stack = '', query } = error
    error.message = `Failed query: ${query}`
    error.stack = `${error.name}: ${error.message}${stack.slice(stack.indexOf(message) + message.length)}`
    error.params = []
  }
  for (const name of QUOTING) Reflect.deleteProperty(error, name)
  withoutValues(error.cause)
  return error
}
