import { randomBytes } from 'node:crypto'
import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { Problem } from '../../src/kernel/errors.ts'
import { epochMs } from '../../src/kernel/ids.ts'
import { failurePages } from '../../src/net/pages/error.tsx'
import { createFormTickets } from '../../src/net/pages/forms.tsx'
import type { Portal } from '../../src/sign-in/portal/portal.ts'
import { createMovedClock } from '../../src/testing/clock.ts'
import type { ConsoleParts } from '../../src/web/console/parts.ts'
import { mountReception } from '../../src/web/console/reception/routes.ts'
import { createPerson } from '../assistants/oauth/person.ts'
import { openWorld } from '../assistants/oauth/world.ts'
import { post } from './post.ts'

const WRONG = { password: 'not the one' }

describe('signing in', () => {
  it('leads to the inbox, and stays there', async () => {
    const { url, resident } = await openWorld()
    const { person, email } = await resident('ama')
    const page = await person.visit(`${url}/sign-in`)
    expect(new URL(page.url).pathname).toBe('/messages')
    expect(page.text).toContain(email)
  })

  it('leads to where the person wanted to go, and nowhere else', async () => {
    const { url, resident } = await openWorld()
    const { person, email, password } = await resident()
    for (const [next, path] of [
      ['/docs', '/docs'],
      ['//evil.example/', '/messages'],
    ] as const) {
      person.cookies.delete('wigwag_portal')
      const page = await person.visit(`${url}/sign-in?next=${encodeURIComponent(next)}`)
      const landed = await person.submit(page, { email, password })
      expect([landed.left, new URL(landed.url).pathname]).toEqual([undefined, path])
    }
  })

  it('gives a new session each time, and ends the one before', async () => {
    const { url, gateway, resident } = await openWorld()
    const { person, email, password } = await resident()
    const before = person.cookies.get('wigwag_portal') ?? ''
    person.cookies.delete('wigwag_portal')
    const form = await person.visit(`${url}/sign-in`)
    person.cookies.set('wigwag_portal', before)
    await person.submit(form, { email, password })
    const after = person.cookies.get('wigwag_portal')
    expect(after).not.toBe(before)
    expect(await gateway.portal.who(before)).toBeUndefined()
    expect(await gateway.portal.who(after)).toMatchObject({ email })
  })

  it('turns a wrong password away with a page that keeps the e-mail and forgets the password', async () => {
    const { url, resident } = await openWorld()
    const { person, email } = await resident()
    person.cookies.delete('wigwag_portal')
    const page = await person.submit(await person.visit(`${url}/sign-in`), { email, ...WRONG })
    expect(page.status).toBe(401)
    expect(page.text).toContain('The e-mail or the password is not right.')
    expect(page.text).toContain(`value="${email}"`)
    expect(page.text).not.toContain(WRONG.password)
    expect(person.cookies.has('wigwag_portal')).toBe(false)
  })

  it('says how long to wait after ten failures', async () => {
    const { url, resident } = await openWorld()
    const { person, email, password } = await resident()
    person.cookies.delete('wigwag_portal')
    const form = await person.visit(`${url}/sign-in`)
    for (let failures = 0; failures < 10; failures++)
      expect((await person.submit(form, { email, ...WRONG })).status).toBe(401)
    const locked = await person.submit(form, { email, password })
    expect(locked.status).toBe(429)
    expect(Number(locked.headers.get('retry-after'))).toBeGreaterThan(60)
    expect(locked.text).toMatch(
      /too many failed attempts with this e-mail\. Please try again in \d+ minutes\./,
    )
  })

  it('tells who is suspended so, and nobody else', async () => {
    const { url, gateway, resident } = await openWorld()
    const { person, accountId, email, password } = await resident()
    await gateway.operator.setStatus(accountId, 'suspended')
    const form = await person.visit(`${url}/connections`)
    expect(new URL(form.url).pathname).toBe('/sign-in')
    const right = await person.submit(form, { email, password })
    expect([right.status, right.text.includes('This account is suspended.')]).toEqual([403, true])
    expect((await person.submit(form, { email, ...WRONG })).status).toBe(401)
  })

  it('tells a person whose account was suspended while signed in, by their session alone', async () => {
    const { url, gateway, resident } = await openWorld()
    const { person, accountId, email } = await resident()
    await gateway.operator.setStatus(accountId, 'suspended')
    for (const page of ['/wallet', '/sign-in']) {
      const seen = await person.visit(`${url}${page}`)
      expect([seen.status, new URL(seen.url).pathname]).toEqual([403, '/sign-in'])
      expect(seen.text).toContain('This account is suspended.')
      expect(seen.text).not.toContain(email)
    }
    const strangers = createPerson()
    strangers.cookies.set('wigwag_portal', `wp_${'x'.repeat(43)}`)
    for (const stranger of [createPerson(), strangers]) {
      const seen = await stranger.visit(`${url}/wallet`)
      expect([seen.status, seen.text.includes('suspended')]).toEqual([200, false])
    }
    await gateway.database.write(({ run }) => run('UPDATE portal_sessions SET expires_at = 1', []))
    const later = await person.visit(`${url}/wallet`)
    expect([later.status, later.text.includes('suspended')]).toEqual([200, false])
  })
})

describe('signing out', () => {
  it('ends the session, not only its cookie', async () => {
    const { url, gateway, resident } = await openWorld()
    const { person } = await resident()
    const token = person.cookies.get('wigwag_portal')
    const landed = await person.submit(await person.visit(`${url}/connections`), {}, (to) =>
      to.endsWith('/sign-out'),
    )
    expect(new URL(landed.url).pathname).toBe('/sign-in')
    expect(person.cookies.has('wigwag_portal')).toBe(false)
    expect(await gateway.portal.who(token)).toBeUndefined()
  })
})

describe('what a portal page answers', () => {
  const NOW = epochMs(Date.parse('2026-01-05T09:00:00Z'))
  const until = epochMs(NOW + 90_000)

  /** The pages on a portal that always says the same. */
  function open(signIn: Portal['signIn'], faults: unknown[] = []) {
    const app = new Hono()
    const publicUrl = () => 'https://sms.example.com'
    const tickets = createFormTickets({ key: 'a key', publicUrl, randomBytes })
    const clock = createMovedClock(NOW)
    // Of all that pages are made from, signing in needs so much.
    const parts = {
      portal: { signIn, signOut: async () => {} },
      tickets,
      publicUrl,
      operator: { name: undefined, contact: undefined },
      addressOf: () => '192.0.2.1',
      clock,
      realClock: clock,
    }
    const own = {
      assets: async () => ({
        style: '/style',
        script: '/script',
        sendScript: '/send',
        proofScript: '/proof',
      }),
      oneClick: () => undefined,
    }
    mountReception(app, parts as unknown as ConsoleParts, own)
    app.onError(
      failurePages({
        problemOf: (error) => (error instanceof Problem ? error : undefined),
        onFault: (error) => String(faults.push(error)),
      }),
    )
    return (fields: Record<string, string>) => post(app, tickets, 'https://sms.example.com/sign-in', fields)
  }

  it.each([
    [{ kind: 'wrong' }, 401, null],
    [{ kind: 'suspended' }, 403, null],
    [{ kind: 'locked', until }, 429, '90'],
    [{ kind: 'too_many', until }, 429, '90'],
    [{ kind: 'busy' }, 503, '5'],
  ] as const)('to %o is a page with status %i', async (result, status, retryAfter) => {
    const response = await open(async () => result)({ email: 'ama@example.com' })
    expect([response.status, response.headers.get('retry-after')]).toEqual([status, retryAfter])
    expect(await response.text()).toContain('id="sign-in-error"')
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(response.headers.get('cache-control')).toBe('no-store')
  })

  it('is a session over https that no neighbour can set', async () => {
    const response = await open(async () => ({
      kind: 'in',
      token: 'wp_token',
      expiresAt: until,
      state: 'in',
      accounts: 1,
    }))({})
    expect(response.status).toBe(303)
    expect(response.headers.getSetCookie()).toEqual([
      '__Host-wigwag_portal=wp_token; Path=/; Expires=Mon, 05 Jan 2026 09:01:30 GMT; HttpOnly; Secure; SameSite=Lax',
    ])
  })

  it('is a page as well when the store is away, and when something breaks', async () => {
    const away = new Problem('unavailable', 'No.', { headers: { 'retry-after': '1' } })
    const faults: unknown[] = []
    const unavailable = await open(() => Promise.reject(away), faults)({})
    expect([unavailable.status, unavailable.headers.get('retry-after'), faults]).toEqual([503, '1', []])
    const fault = new Error('secret words')
    const broken = await open(() => Promise.reject(fault), faults)({})
    expect([broken.status, faults]).toEqual([500, [fault]])
    expect(await broken.text()).not.toContain('secret words')
  })

  it('is a refusal when a form is larger than anybody types', async () => {
    const response = await open(async () => ({ kind: 'wrong' }))({ email: 'x'.repeat(20_000) })
    expect(response.status).toBe(413)
    expect(await response.text()).toContain('too large')
  })
})
