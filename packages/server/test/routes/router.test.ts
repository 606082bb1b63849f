import { operations } from '@wigwag/contract/operations'
import { TrieRouter } from 'hono/router/trie-router'
import { describe, expect, it } from 'vitest'
import { CachingRouter } from '../../src/net/server/app.ts'

const METHODS = ['GET', 'POST', 'DELETE', 'PUT']
const rows = Object.entries(operations)
const pathsOf = rows.map(([, { path }]) => path)
const asked = [...new Set(pathsOf.flatMap((path) => [path, path.replace(/:\w+/g, 'abc'), `${path}/`, '/']))]

describe('the router', () => {
  it('finds what the trie finds, however often it is asked', () => {
    const router = new CachingRouter<string>()
    const trie = new TrieRouter<string>()
    for (const [id, { method, path }] of rows) {
      router.add(method, path, id)
      trie.add(method, path, id)
    }
    for (let round = 0; round < 3; round++)
      for (const path of asked)
        for (const method of METHODS) expect(router.match(method, path)).toEqual(trie.match(method, path))
    expect(router.match('POST', '/v1/messages/sms')[0]).toHaveLength(1)
  })

  it('finds what was added after it was asked', () => {
    const router = new CachingRouter<string>()
    router.add('GET', '/a', 'first')
    expect(router.match('GET', '/a')[0]).toHaveLength(1)
    router.add('GET', '/a', 'second')
    router.add('GET', '/:any', 'third')
    expect(router.match('GET', '/a')[0]).toHaveLength(3)
  })
})
