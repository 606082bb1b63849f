import { AsyncLocalStorage } from 'node:async_hooks'

/**
 * Throws on a `read` or `write` inside another: the inner one would wait for the connection or write queue that the
 * outer one holds. Pass the `tx` down instead.
 */
export function createScopeGuard(): <T>(work: () => Promise<T>) => Promise<T> {
  const inside = new AsyncLocalStorage<true>()
  return function guarded(work) {
    if (inside.getStore()) throw new Error('nested database scope: pass the tx down instead')
    return inside.run(true, work)
  }
}
