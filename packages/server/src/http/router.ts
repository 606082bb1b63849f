import type { Result, Router } from 'hono/router'
import { TrieRouter } from 'hono/router/trie-router'

/**
 * Paths such as `/v1/messages/sms` and `/v1/messages/:id` are too alike for Hono's fastest router, so the trie looks
 * them up. What it says of a path that is spelled out it will always say, and it is asked only once.
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
