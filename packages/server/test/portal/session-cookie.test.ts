import { describe, expect, it } from 'vitest'
import { epochMs } from '../../src/kernel/ids.ts'
import { noSessionCookie, sessionCookie, sessionTokenOf } from '../../src/sign-in/portal/pages.ts'

const HOME = 'https://sms.example.com'
const LOCAL = 'http://127.0.0.1:8080'
const UNTIL = epochMs(Date.parse('2026-01-05T21:00:00Z'))

describe('the cookie of a session', () => {
  it('is for this host alone, over https alone, and not for scripts', () => {
    expect(sessionCookie('wp_token', HOME, UNTIL)).toBe(
      '__Host-wigwag_portal=wp_token; Path=/; Expires=Mon, 05 Jan 2026 21:00:00 GMT; HttpOnly; Secure; SameSite=Lax',
    )
  })

  it('works without https on the own machine', () => {
    expect(sessionCookie('wp_token', LOCAL, UNTIL)).toBe(
      'wigwag_portal=wp_token; Path=/; Expires=Mon, 05 Jan 2026 21:00:00 GMT; HttpOnly; SameSite=Lax',
    )
  })

  it('is read back among others', () => {
    expect(sessionTokenOf('a=1; __Host-wigwag_portal=wp_token; b=2', HOME)).toBe('wp_token')
    expect(sessionTokenOf('wigwag_portal=wp_token', LOCAL)).toBe('wp_token')
  })

  it('is not taken under the name that a neighbour could set', () => {
    expect(sessionTokenOf('wigwag_portal=wp_token', HOME)).toBeUndefined()
  })

  it.each([undefined, '', '__Host-wigwag_portal=', `__Host-wigwag_portal=${'x'.repeat(257)}`])(
    'is none in %j',
    (cookie) => expect(sessionTokenOf(cookie, HOME)).toBeUndefined(),
  )

  it('is taken away with the sign-out', () => {
    expect(noSessionCookie(HOME)).toBe(
      '__Host-wigwag_portal=; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT; HttpOnly; Secure; SameSite=Lax',
    )
  })
})
