import type { Result, Router } from 'hono/router'
import { TrieRouter } from 'hono/router/trie-router'

/**
 * Hono's fastest router cannot tell paths such as `/v1/messages/sms` and `/v1/messages/:id` apart, so this uses the
 * trie router and caches its results for literal paths.
 */
export function createRouter<T>(): Router<T> {
  const trie = new TrieRouter<T>()
  const spelledOut = new Map<string, Map<string, Result<T>>>()
  return {
    name: 'remembering',
    add(method, path, handler) {
      trie.add(method, path, handler)
      for (const answers of spelledOut.values()) answers.clear()
      if (!/[:*]/.test(path)) spelledOut.set(path, new Map())
    },
    match(method, path) {
      const known = spelledOut.get(path)
      const found = known?.get(method) ?? trie.match(method, path)
      known?.set(method, found)
      return found
    },
  }
}
