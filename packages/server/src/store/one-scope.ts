import { AsyncLocalStorage } from 'node:async_hooks'

/**
 * Refuses a database scope inside another: the inner one would wait for a connection, or for the write queue,
 * that the outer one holds. Pass the connection down instead.
 */
export function createScopeGuard(): <T>(work: () => Promise<T>) => Promise<T> {
  const inside = new AsyncLocalStorage<true>()
  return function guarded(work) {
    if (inside.getStore()) throw new Error('nested database scope: pass the connection down instead')
    return inside.run(true, work)
  }
}
