import { AsyncLocalStorage } from 'node:async_hooks'
import { DrizzleQueryError } from 'drizzle-orm/errors'

/**
 * Throws on a `read` or `write` inside another: the inner one would wait for the connection or write queue that the
 * outer one holds. Pass the `tx` down instead.
 */
export class ScopeGuard {
  readonly #inside = new AsyncLocalStorage<true>()

  run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#inside.getStore()) throw new Error('nested database scope: pass the tx down instead')
    return this.#inside.run(true, work)
  }
}

/** Fields of PostgreSQL's errors that may quote rows and values: "Failing row contains (…)". */
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
