import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { localPath } from '../../src/sign-in/portal/pages.ts'

const HERE = 'https://sms.example.com'

describe('where a sign-in leads to', () => {
  it.each([
    ['/connections', '/connections'],
    ['/oauth/interaction/Zx_9-a', '/oauth/interaction/Zx_9-a'],
    ['/connections?done=limits#c-1', '/connections?done=limits'],
    ['/a/../connections', '/connections'],
    ['/docs', '/docs'],
    ['/messages?q=status%3Afailed', '/messages?q=status%3Afailed'],
    ['/messages/01a1f89c-3b65-7c3a-9f0e-2b6d5a1c8e4f', '/messages/01a1f89c-3b65-7c3a-9f0e-2b6d5a1c8e4f'],
    ['/send/many/k-1', '/send/many/k-1'],
  ])('is %s on this site', (address, path) => expect(localPath(address)).toBe(path))

  it.each([
    undefined,
    '',
    'connections',
    'https://evil.example/',
    '//evil.example/',
    '/\\evil.example/',
    '\\/evil.example/',
    '/\t/evil.example/',
    ' //evil.example',
    '/.//evil.example/',
    '/%2e//evil.example/',
    '/a/..//evil.example/',
    'javascript:alert(1)',
    '/connections\r\nset-cookie: a=b',
    '/ünsafe',
    '/',
    '/oauth/authorize?client_id=a&prompt=none',
    '/oauth/authorize/Zx_9-a',
    '/oauth/interaction/Zx_9-a/../../authorize',
    '/oauth/interaction/%2e%2e/authorize',
    '/connections/c-1/revoke',
    '/sign-out',
    '/messages/01a1f89c/tell',
    '/wallet.csv',
    '/docs/demo',
  ])('is nowhere for %j', (address) => expect(localPath(address)).toBeUndefined())

  it('is never another site, however it is written', () => {
    const part = fc.constantFrom(
      '/',
      '\\',
      '.',
      '..',
      '%2e',
      '@',
      ':',
      '?',
      '#',
      'evil.example',
      'http:',
      '%5c',
      '\t',
      ';',
    )
    fc.assert(
      fc.property(
        fc.array(part).map((parts) => `/${parts.join('')}`),
        (address) => {
          const path = localPath(address)
          if (path === undefined) return
          expect(new URL(path, HERE).origin).toBe(HERE)
          expect(localPath(path)).toBe(path)
        },
      ),
      { numRuns: 5_000 },
    )
  })
})
