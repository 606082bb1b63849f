import { describe, expect, it } from 'vitest'
import { checkCallbackUrl as checkUrl } from '../../src/kernel/sent-fields.ts'
import { problemOf } from './problem-of.ts'

const checkCallbackUrl = (url: string, refused?: string) => checkUrl(url, () => refused)

describe('checkCallbackUrl', () => {
  it.each([
    'https://example.com/sms',
    'http://127.0.0.1:4000/cb?x=1&y=@z',
    'HTTPS://EXAMPLE.COM',
    'http://[::1]:80/',
    'https://example.com/a#fragment',
    'https://bücher.example/ü',
    `https://example.com/${'a'.repeat(2048 - 20)}`,
  ])('accepts %s', (url) => {
    expect(() => checkCallbackUrl(url)).not.toThrow()
  })

  it.each([
    ['', 'empty'],
    ['example.com/sms', 'no scheme'],
    ['/sms', 'relative'],
    ['//example.com/sms', 'scheme-relative'],
    ['ftp://example.com', 'another scheme'],
    ['javascript:alert(1)', 'a script'],
    ['file:///etc/passwd', 'a file'],
    ['http:example.com', 'what the URL parser would mend'],
    ['http:///example.com', 'no host'],
    ['http://', 'no host'],
    ['http://?x', 'no host'],
    ['http://:80/', 'a port alone'],
    ['http://a b.com/', 'a space in the host'],
    ['https://example.com/a b', 'a space in the path'],
    [' https://example.com', 'a space before'],
    ['https://example.com\n', 'a line break after'],
    ['https://exa\tmple.com', 'a tab that the URL parser would drop'],
    ['http:\\\\example.com', 'backslashes'],
    ['http://example.com\\@evil.example', 'a backslash'],
    ['https://user:secret@example.com', 'a user name and password'],
    ['https://user@example.com', 'a user name'],
    ['https://@example.com', 'an empty user name'],
    ['http://example.com:99999/', 'an impossible port'],
    ['http://999.1.1.1/', 'an impossible address'],
    [`https://example.com/${'a'.repeat(2048 - 19)}`, 'too long'],
  ])('refuses %j: %s', (url) => {
    expect(problemOf(() => checkCallbackUrl(url)).code).toBe('invalid_callback_url')
  })

  it('says why a URL can never be called, once it is one', () => {
    const { code, message } = problemOf(() =>
      checkCallbackUrl('http://10.0.0.1/', 'the host is a private address'),
    )
    expect(code).toBe('invalid_callback_url')
    expect(message).toMatch(/WIGWAG_CALLBACK_ALLOW\); the host is a private address\.$/)
    expect(problemOf(() => checkCallbackUrl('10.0.0.1', 'the host is odd')).message).not.toContain('odd')
  })

  it('does not repeat a password in its answer', () => {
    expect(problemOf(() => checkCallbackUrl('https://user:secret@example.com')).message).not.toContain(
      'secret',
    )
  })
})
