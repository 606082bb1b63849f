import { pino } from 'pino'
import { expect, it, vi } from 'vitest'
import { systemClock } from '../../../src/kernel/process/clock.ts'
import { BALANCE, callWith } from '../../support/front.ts'
import { createPerson, formsOf, type Page, type Person, type Sent } from './person.ts'
import { everyRow } from './records.ts'
import { addStandalone } from './standalone.ts'
import {
  codeFor,
  decide,
  livingConnections,
  mcp,
  openWorld,
  READING,
  SENDING,
  shareWorld,
  tokensFor,
} from './world.ts'

let later = 0
const clock = { ...systemClock, elapsed: () => systemClock.elapsed() + later }
const logged: string[] = []
const log = pino({ level: 'trace' }, { write: (line: string) => void logged.push(line) })
const world = await shareWorld({ clock, log })
const { gateway, url } = world
const ama = await world.resident()
const assistant = await world.assistant()
const resource = 'http://127.0.0.1:9/mcp'
const standalone = await addStandalone(world, resource)

const isConsent = (action: string) => action.includes('/oauth/interaction/')

/** Sends the form of a consent as it is, or as somebody else would have it sent. */
function post(person: Person, page: Page, { headers, ...changes }: Sent = {}, choice = SENDING as object) {
  const form = formsOf(page).find(({ action }) => isConsent(action))
  return person.send(form?.action ?? '', {
    method: 'POST',
    headers: { origin: url, 'sec-fetch-site': 'same-origin', ...headers },
    body: new URLSearchParams({ ...form?.hidden, ...choice }),
    ...changes,
  })
}

it('sends every page so that it runs nothing, is framed by nobody and kept nowhere (§4.16)', async () => {
  const consentPage = await ama.person.visit(assistant.authorizeUrl())
  const open = createPerson()
  const pages = {
    'an error of the request': await open.send(`${url}/oauth/authorize?client_id=nobody`),
    'an authorization that is unknown': await open.send(`${url}/oauth/interaction/unknown`),
    'the way back of one that is unknown': await open.send(`${url}/oauth/authorize/unknown`),
    consent: await ama.person.send(consentPage.url),
    'a consent from elsewhere': await post(ama.person, consentPage, {
      headers: { origin: 'https://evil.example' },
    }),
    'limits that make no sense': await post(ama.person, consentPage, {}, { ...SENDING, daily_spend: 'x' }),
    'a form that is too large': await post(
      ama.person,
      consentPage,
      {},
      { ...SENDING, recipients: '2'.repeat(20_000) },
    ),
    leaving: await post(ama.person, consentPage),
  }
  for (const [name, page] of Object.entries(pages)) {
    const policy = page.headers.get('content-security-policy') ?? ''
    for (const rule of [
      "default-src 'none'",
      "frame-ancestors 'none'",
      "form-action 'self'",
      "base-uri 'none'",
    ])
      expect(policy, name).toContain(rule)
    expect(policy, name).not.toMatch(/script-src|unsafe/)
    expect(Object.fromEntries(page.headers), name).toMatchObject({
      'content-type': expect.stringContaining('text/html'),
      'cache-control': 'no-store',
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'same-origin',
    })
    expect(await page.text(), name).not.toContain('<script')
  }
})

it('repeats nothing on a page that could do something there', async () => {
  const evil = '"><script>alert(1)</script>'
  for (const name of ['client_id', 'redirect_uri', 'scope', 'state', 'resource', 'response_type', 'prompt']) {
    const { text } = await createPerson().visit(assistant.authorizeUrl({ client_id: 'nobody', [name]: evil }))
    expect(text, name).not.toContain('<script')
  }
})

it.each<[string, Sent]>([
  ['a page of another site', { headers: { origin: 'https://evil.example' } }],
  ['a page without a home', { headers: { origin: 'null' } }],
  ['another site, as the browser says', { headers: { 'sec-fetch-site': 'cross-site' } }],
  ['a neighbour, as the browser says', { headers: { 'sec-fetch-site': 'same-site' } }],
  ['a form without a ticket', { body: new URLSearchParams(SENDING) }],
  ['a form with a ticket that was made up', { body: new URLSearchParams({ ...SENDING, form_ticket: 'x' }) }],
])('takes no consent from %s (§4.7)', async (_, changes) => {
  const kofi = await world.resident()
  const page = await kofi.person.visit(assistant.authorizeUrl())
  const { status } = await post(kofi.person, page, changes)
  expect(status).toBe(403)
  expect(await livingConnections(world, kofi)).toBe(0)
  expect((await post(kofi.person, page)).status).toBe(200)
})

it('takes no consent by a ticket of another browser', async () => {
  const kofi = await world.resident()
  const page = await kofi.person.visit(assistant.authorizeUrl())
  const theirs = await ama.person.visit(assistant.authorizeUrl())
  const form = formsOf(theirs).find(({ action }) => isConsent(action))
  const body = new URLSearchParams({ ...form?.hidden, ...SENDING })
  expect((await post(kofi.person, page, { body })).status).toBe(403)
  expect(await livingConnections(world, kofi)).toBe(0)
})

it('shows and decides an authorization in the browser only that it was begun in', async () => {
  const kofi = await world.resident()
  const page = await kofi.person.visit(assistant.authorizeUrl())
  const seen = await ama.person.visit(page.url)
  expect(seen.status).toBe(400)
  expect(seen.text).not.toContain('Test assistant')
  const own = await ama.person.visit(assistant.authorizeUrl())
  const ticket = formsOf(own).find(({ action }) => isConsent(action))?.hidden
  const before = await livingConnections(world, ama)
  const headers = { origin: url, 'sec-fetch-site': 'same-origin' }
  const body = new URLSearchParams({ ...ticket, ...SENDING })
  expect((await ama.person.send(page.url, { method: 'POST', headers, body })).status).toBe(400)
  expect(await livingConnections(world, ama)).toBe(before)
})

it('gives the answer to the browser only that it was begun in', async () => {
  const kofi = await world.resident()
  const page = await kofi.person.visit(assistant.authorizeUrl())
  const leaving = await (await post(kofi.person, page)).text()
  const back = /http-equiv="refresh" content="0; ?url=([^"]+)"/i.exec(leaving)?.[1] ?? ''
  expect(back).toContain('/oauth/authorize/')
  for (const other of [ama.person, createPerson()]) {
    const { status, left } = await other.visit(back)
    expect({ status, left }).toEqual({ status: 400, left: undefined })
  }
  expect(new URL((await kofi.person.visit(back)).left ?? 'none:').searchParams.has('code')).toBe(true)
  expect((await kofi.person.visit(back)).status).toBe(400)
})

it('believes no cookie that it did not sign', async () => {
  const page = await ama.person.visit(assistant.authorizeUrl())
  const uid = new URL(page.url).pathname.split('/').at(-1) ?? ''
  const kofi = await world.resident()
  for (const signature of ['', '; wigwag_asked.sig=AAAAAAAAAAAAAAAAAAAAAAAAAAA']) {
    const cookie = `wigwag_portal=${kofi.person.cookies.get('wigwag_portal')}; wigwag_asked=${uid}${signature}`
    expect((await fetch(page.url, { headers: { cookie } })).status).toBe(400)
  }
})

it('sends cookies that no script reads and no other site’s form is sent with', async () => {
  const open = createPerson()
  const pages = [await open.send(assistant.authorizeUrl()), await open.send(`${url}/sign-in`)]
  const [asked, signIn] = pages.map(({ headers }) => headers.getSetCookie())
  for (const cookie of [...(asked ?? []), ...(signIn ?? [])]) expect(cookie).toMatch(/; ?httponly/i)
  for (const cookie of [...(asked ?? []), ...(signIn ?? [])]) expect(cookie).toMatch(/; ?samesite=lax/i)
  const limited = (asked ?? []).filter((cookie) => /^wigwag_(asked|resume)/.test(cookie))
  expect(limited).toHaveLength(4)
  for (const cookie of limited) expect(cookie).toMatch(/path=\/oauth\/(interaction|authorize)\/[\w-]{43}/)
})

it('sends cookies over https only, of this very host, where it is called by https', async () => {
  const publicUrl = 'https://sms.example.com'
  const secure = await openWorld({ config: { publicUrl } })
  const open = createPerson()
  const there = await secure.assistant()
  const asked = await open.send(there.authorizeUrl({ resource: `${publicUrl}/mcp` }))
  expect(asked.headers.get('location')).toMatch(/^(https:\/\/sms\.example\.com)?\/oauth\/interaction\//)
  const form = await open.send(`${secure.url}/sign-in`)
  const cookies = [...asked.headers.getSetCookie(), ...form.headers.getSetCookie()]
  expect(cookies.length).toBeGreaterThanOrEqual(5)
  for (const cookie of cookies) expect(cookie).toMatch(/; ?secure/i)
  expect(form.headers.getSetCookie()[0]).toMatch(/^__Host-wigwag_form=.*; ?path=\/;/i)
})

it.each([
  'https://evil.example/',
  '//evil.example/',
  '/\\evil.example/',
  '/\t/evil.example/',
  '/..//evil.example/',
  '/%09/evil.example',
  '\\\\evil.example',
  'javascript:alert(1)',
  'evil.example',
  '/oauth/../..//evil.example',
])('leads nobody to %s after signing in (§4.11)', async (next) => {
  const kofi = await world.resident()
  const signedIn = await kofi.person.send(`${url}/sign-in?next=${encodeURIComponent(next)}`)
  kofi.person.cookies.clear()
  const page = await kofi.person.visit(`${url}/sign-in?next=${encodeURIComponent(next)}`)
  const form = formsOf(page)[0]
  const { email, password } = kofi
  const answer = await kofi.person.send(form?.action ?? '', {
    method: 'POST',
    headers: { origin: url },
    body: new URLSearchParams({ ...form?.hidden, email, password }),
  })
  for (const { status, headers } of [signedIn, answer]) {
    expect(status).toBe(303)
    expect(new URL(headers.get('location') ?? '', url).origin).toBe(url)
    expect(headers.get('location')).not.toMatch(/^[/\\]{2}/)
  }
})

it('gives nothing for a code that was led elsewhere (§4.1, §4.5)', async () => {
  const redirect_uri = 'http://127.0.0.1:9999/callback'
  const stolen = await codeFor(ama, assistant, READING, { redirect_uri })
  const thief = await world.assistant({ redirect_uris: [redirect_uri] })
  for (const taker of [thief, assistant])
    for (const uri of [redirect_uri, assistant.redirectUri]) {
      if (taker === assistant && uri === redirect_uri) continue
      expect((await taker.trade(stolen, { redirect_uri: uri })).body.error).toBe('invalid_grant')
    }
})

it('refuses everything of an account from the moment that it is suspended', async () => {
  const kofi = await world.resident()
  const { access_token, refresh_token } = await tokensFor(kofi, assistant)
  const { access_token: theirs } = await tokensFor(kofi, assistant, READING, { resource })
  const { body } = await standalone.exchange(theirs)
  const code = await codeFor(kofi, assistant)
  const page = await kofi.person.visit(assistant.authorizeUrl())
  await gateway.operator.setStatus(kofi.accountId, 'suspended')
  expect((await mcp(url, access_token)).status).toBe(401)
  expect((await assistant.refresh(refresh_token)).body.error).toBe('invalid_grant')
  expect((await assistant.trade(code)).body.error).toBe('invalid_grant')
  expect((await standalone.introspect(theirs)).body).toEqual({ active: false })
  expect((await standalone.exchange(theirs)).status).toBe(400)
  const bearer = { authorization: `Bearer ${body.access_token}` }
  expect((await callWith(url, bearer, { path: BALANCE })).status).toBe(403)
  const consented = await post(kofi.person, page)
  expect([consented.status, consented.headers.get('location')]).toEqual([
    303,
    expect.stringContaining('/sign-in'),
  ])
})

it('goes on with everything after its keys were changed, and shows the old ones too', async () => {
  const kofi = await world.resident()
  const tokens = await tokensFor(kofi, assistant, READING, { scope: 'openid sms:read' })
  const code = await codeFor(kofi, assistant)
  const page = await kofi.person.visit(assistant.authorizeUrl())
  const keysOf = async () =>
    (await (await fetch(`${url}/oauth/jwks`)).json()).keys.map(({ kid }: { kid: string }) => kid)
  const before = await keysOf()

  const { kid } = await gateway.keyring.rotate()
  later += 1_000
  expect(await keysOf()).toEqual([kid, ...before])
  expect((await mcp(url, tokens.access_token)).status).toBe(200)
  const refreshed = await assistant.refresh(tokens.refresh_token)
  expect(refreshed.status).toBe(200)
  const signedWith = (token: unknown) =>
    JSON.parse(Buffer.from(String(token).split('.')[0] ?? '', 'base64url').toString()).kid
  expect(signedWith(tokens.id_token)).toBe(before[0])
  expect(signedWith(refreshed.body.id_token)).toBe(kid)
  expect((await assistant.trade(code)).status).toBe(200)
  const left = new URL(await decide(kofi.person, page, READING))
  expect((await assistant.trade(left.searchParams.get('code') ?? '')).status).toBe(200)
  expect((await tokensFor(kofi, assistant)).access_token).toBeDefined()
})

it('keeps digests only of what opens something, and writes none of it to the log', async () => {
  for (const method of ['log', 'info', 'warn', 'error'] as const)
    vi.spyOn(console, method).mockImplementation((...said) => void logged.push(said.join(' ')))
  const kofi = await world.resident()
  const confidential = await world.assistant({ token_endpoint_auth_method: 'client_secret_post' })
  const [code, unused] = [await codeFor(kofi, confidential), await codeFor(kofi, confidential)]
  const { body: tokens } = await confidential.trade(code)
  const { body: next } = await confidential.refresh(tokens.refresh_token)
  const { access_token: theirs } = await tokensFor(kofi, assistant, READING, { resource })
  const { body: delegated } = await standalone.exchange(theirs)
  await mcp(url, next.access_token, 'tools/call', { name: 'get_balance', arguments: {} })
  // Failures are more likely to be logged than successes.
  await confidential.trade(unused, { code_verifier: 'x'.repeat(43) })
  await assistant.refresh(next.refresh_token)
  await assistant.revoke(theirs, { client_secret: confidential.clientSecret })
  await kofi.person.visit(assistant.authorizeUrl())
  vi.restoreAllMocks()
  const keys = await gateway.keyring.current()
  const secrets = {
    code,
    unused,
    'access token': tokens.access_token,
    'refresh token': tokens.refresh_token,
    'next access token': next.access_token,
    'next refresh token': next.refresh_token,
    'token of a connector': theirs,
    'token for the REST API': delegated.access_token,
    'secret of a client': confidential.clientSecret,
    'secret of a connector': standalone.secret,
    password: kofi.password,
    'key of cookies': keys.cookies[0],
    'key of signatures': keys.signing[0]?.d,
    // The cookie of an authorization names it, as its address does: what proves the browser is the signature.
    ...Object.fromEntries([...kofi.person.cookies].filter(([name]) => !/^wigwag_(asked|resume) /.test(name))),
  }
  expect(Object.keys(secrets).filter((name) => name.startsWith('wigwag_'))).toEqual(
    expect.arrayContaining(['wigwag_portal', 'wigwag_form']),
  )
  const rows = await everyRow(gateway.database)
  expect(rows.join()).toContain(kofi.accountId)
  for (const [name, secret] of Object.entries(secrets)) {
    expect(String(secret).length, name).toBeGreaterThan(12)
    expect(
      rows.filter((row) => row.includes(String(secret))),
      name,
    ).toEqual([])
    expect(
      logged.filter((line) => line.includes(String(secret))),
      name,
    ).toEqual([])
  }
})

it('puts no token into an address', async () => {
  const kofi = await world.resident()
  const page = await kofi.person.visit(assistant.authorizeUrl())
  const left = new URL(await decide(kofi.person, page, READING))
  expect([...left.searchParams.keys()].sort()).toEqual(['code', 'iss', 'state'])
  const { body } = await assistant.trade(left.searchParams.get('code') ?? '')
  const asked = [page.url, left.href].join()
  for (const token of [body.access_token, body.refresh_token]) expect(asked).not.toContain(token)
})
