import fc from 'fast-check'
import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { noteRefusal, withoutValues } from '../../src/accounts/refused-request.ts'
import { Problem } from '../../src/kernel/errors.ts'
import { epochMs } from '../../src/kernel/ids.ts'
import type { HttpContext } from '../../src/net/server/body.ts'
import { RefusedRequests } from '../../src/sandbox/refused.ts'
import { createMovedClock } from '../../src/testing/clock.ts'
import { openWorld, shareWorld } from '../assistants/oauth/world.ts'
import { connect } from '../support/assistants.ts'
import { eventually } from '../support/eventually.ts'
import { call, callWith, SINGLE, single } from '../support/front.ts'

const TEXT = 'Your code is 481920, tell no-one'

describe('a request that was refused', () => {
  it('is noted for its account: what was asked, and why not', async () => {
    const { url, gateway, resident } = await openWorld()
    const ama = await resident()
    const kofi = await resident()
    await call(url, ama, { path: `${SINGLE}?token=secret`, body: { ...single(), From: 'NOTMINE' } })
    const refused = gateway.sandbox?.refused
    await eventually('it is noted', async () => refused?.latest(ama.accountId).length === 1)
    expect(refused?.latest(ama.accountId)).toEqual([
      {
        accountId: ama.accountId,
        at: expect.any(Number),
        method: 'POST',
        path: SINGLE,
        status: 403,
        code: 'sender_not_approved',
        detail: 'Sender “…” is not one of this account. Approved sender IDs: WIGWAG.',
        requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      },
    ])
    expect(refused?.latest(kofi.accountId)).toEqual([])
    const page = await ama.person.visit(`${url}/sandbox`)
    expect(page.text).toContain('<span class="bad">403</span>')
    expect((await kofi.person.visit(`${url}/sandbox`)).text).not.toContain('sender_not_approved')
  })

  it('is noted for all when its credentials are those of no account', async () => {
    const { url, gateway, resident } = await openWorld()
    const ama = await resident()
    const heard: string[] = []
    gateway.sandbox?.refused.listen(ama.accountId, ({ code }) => heard.push(code))
    await call(url, { ...ama, clientSecret: 'wrong' }, { path: SINGLE, body: single() })
    await call(url, { ...ama, walletToken: 'wrong' }, { path: SINGLE, body: single() })
    expect((await callWith(url, {}, { path: '/v1/nowhere' })).status).toBe(404)
    expect((await callWith(url, {}, { path: SINGLE, body: single() })).status).toBe(401)
    await eventually('four were heard', async () => heard.length === 4)
    expect(heard.sort()).toEqual([
      'invalid_credentials',
      'invalid_credentials',
      'route_not_found',
      'wallet_forbidden',
    ])
  })

  it.each(['invalid_credentials', 'account_suspended'] as const)(
    'costs no second look-up of its credentials after %s, which the next request would share',
    async (code) => {
      const refused = new RefusedRequests()
      const asked: string[] = []
      const notes: Parameters<typeof noteRefusal>[0] = {
        record: ({ accountId }, request) => refused.record(accountId, request),
        clock: createMovedClock(epochMs(0)),
        async authenticate({ req }) {
          asked.push(req.path)
          throw new Problem(code, 'They were refused.')
        },
      }
      const app = new Hono<{ Bindings: HttpContext['env'] }>().all('*', (c) => {
        noteRefusal(notes, new Problem(code, 'They were refused.'), 'id', c)
        return c.text('')
      })
      await app.request(SINGLE)
      await eventually('it is noted', () => refused.latest('a').length === 1)
      expect(asked).toEqual([])
    },
  )

  it('is noted for the account of an assistant', async () => {
    const { url, gateway, resident } = await openWorld()
    const ama = await resident()
    const { headers } = await connect(gateway, ama.accountId, 'only reading')
    await callWith(url, { authorization: headers.authorization }, { path: SINGLE, body: single() })
    const refused = gateway.sandbox?.refused
    await eventually('it is noted', async () => refused?.latest(ama.accountId).length === 1)
    expect(refused?.latest(ama.accountId)).toMatchObject([{ code: 'insufficient_scope' }])
  })

  it('is not noted when it was for a page', async () => {
    const { url, gateway, resident } = await openWorld()
    const ama = await resident()
    await ama.person.visit(`${url}/nowhere`)
    await fetch(`${url}/favicon.ico`)
    await call(url, ama, { path: '/v1/nowhere' })
    const refused = gateway.sandbox?.refused
    await eventually('the last is noted', async () => refused?.latest(ama.accountId).length === 1)
    expect(refused?.latest(ama.accountId)).toMatchObject([{ path: '/v1/nowhere' }])
  })
})

describe('what is noted', () => {
  const world = shareWorld()

  /** A text or a secret in any field, or in the wrong one. */
  const bodies: [string, object][] = [
    ['To', { ...single(), To: TEXT }],
    ['From', { ...single(), From: TEXT }],
    ['a short text as From', { ...single(), From: 'tell no one' }],
    ['CallbackUrl', { ...single(), CallbackUrl: TEXT }],
    ['a callback with a secret', { ...single(), CallbackUrl: 'http://user:tell-no-one@10.0.0.1/' }],
    ['an unknown field', { ...single(), [TEXT]: TEXT }],
    ['Content that is too long', { ...single(), Content: `${TEXT} `.repeat(80) }],
    ['Content that cannot be sent', { ...single(), Content: `${TEXT}\0ж` }],
    ['Reference', { ...single(), Reference: TEXT.repeat(9) }],
    ['SendAt', { ...single(), SendAt: TEXT }],
    ['no To', { From: 'WIGWAG', Content: TEXT }],
  ]

  it.each(bodies)('holds nothing of a text in %s', async (_, body) => {
    const { url, gateway, resident } = await world
    const ama = await resident()
    const path = 'SendAt' in body ? `${SINGLE}/scheduled` : SINGLE
    const { status } = await call(url, ama, { path, body, key: 'tell-no-one' })
    const refused = gateway.sandbox?.refused
    const noted = () => refused?.latest(ama.accountId) ?? []
    if (status === 200) return expect(noted()).toEqual([])
    await eventually('it is noted', async () => noted().length > 0)
    const written = JSON.stringify(noted())
    for (const part of ['481920', 'tell no', 'tell-no', ama.clientSecret, ama.walletToken, ama.clientId])
      expect(written).not.toContain(part)
    expect(noted()[0]?.detail.length).toBeGreaterThan(10)
  })

  it('holds nothing that stood in quotes', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 2 }), fc.constantFrom('"', "'", '“'), (value, quote) => {
        const inside = `§${value.replaceAll(/['"“”\\§]/g, '')}§`
        const quoted = { '"': JSON.stringify(inside), "'": `'${inside}'`, '“': `“${inside}”` }[quote]
        expect(withoutValues(`Expected another one; got ${quoted}.`)).toBe('Expected another one; got “…”.')
      }),
    )
  })

  it('keeps the character that cannot be sent in fewer segments', () => {
    const detail = "Expected at most 10 segments; got 11 segments of UCS-2 because of 'ж'."
    expect(withoutValues(detail)).toBe(detail)
  })
})

it('only the newest 200 are kept', () => {
  const refused = new RefusedRequests()
  const one = { method: 'GET', path: '/v1', status: 404, code: 'route_not_found', detail: '', requestId: '' }
  for (let at = 0; at < 250; at++) refused.record('a', { ...one, at: epochMs(at) })
  expect(refused.latest('a')).toHaveLength(200)
  expect(refused.latest('a')[0]?.at).toBe(249)
})
