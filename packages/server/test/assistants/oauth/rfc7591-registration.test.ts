import { discoverAuthorizationServerMetadata, registerClient } from '@modelcontextprotocol/sdk/client/auth.js'
import { expect, it } from 'vitest'
import { HOURLY_LIMITS } from '../../../src/assistants/oauth/hourly-limits.ts'
import { pruneClients } from '../../../src/assistants/oauth/records.ts'
import { epochMs } from '../../../src/kernel/ids.ts'
import { systemClock } from '../../../src/kernel/process/clock.ts'
import { asOwner } from '../../support/assistants.ts'
import { type Assistant, REDIRECT, register } from './assistant.ts'
import { createPerson } from './person.ts'
import { codeFor, decide, openWorld, READING, shareWorld, tokensFor } from './world.ts'

const world = await shareWorld()
const { database, connections } = world.gateway
const ama = await world.resident()
const DAY_MS = 24 * 3_600_000

it('registers a public client, and gives it no secret (§3.2.1)', async () => {
  const { status, headers, body } = await register(world.url)
  expect(status).toBe(201)
  expect(headers.get('cache-control')).toBe('no-store')
  expect(body).toMatchObject({
    client_name: 'Test assistant',
    redirect_uris: [REDIRECT],
    token_endpoint_auth_method: 'none',
    client_id_issued_at: expect.any(Number),
  })
  expect(body.client_id.length).toBeGreaterThan(20)
  for (const name of ['client_secret', 'registration_access_token', 'registration_client_uri', 'scope'])
    expect(body).not.toHaveProperty(name)
})

it.each([
  ['client_secret_basic', 'client_secret_basic'],
  ['client_secret_post', 'client_secret_post'],
  [undefined, 'client_secret_basic'],
])('gives a secret to a client that wants to use it by %s', async (token_endpoint_auth_method, used) => {
  const { status, body } = await register(world.url, { token_endpoint_auth_method })
  expect(status).toBe(201)
  expect(body.token_endpoint_auth_method).toBe(used)
  expect(body.client_secret?.length).toBeGreaterThan(20)
  expect(body.client_secret_expires_at).toBe(0)
})

it('holds a client to its secret, on the whole way', async () => {
  const confidential = await world.assistant({ token_endpoint_auth_method: 'client_secret_post' })
  const code = await codeFor(ama, confidential)
  for (const client_secret of ['wrong', undefined, ''])
    expect((await confidential.trade(code, { client_secret })).body.error).toBe('invalid_client')
  const { body } = await confidential.trade(code)
  const wrong = await confidential.refresh(body.refresh_token, { client_secret: 'wrong' })
  expect(wrong.body.error).toBe('invalid_client')
  expect((await confidential.refresh(body.refresh_token)).status).toBe(200)
})

it('registers the protocol’s own client', async () => {
  const metadata = await discoverAuthorizationServerMetadata(world.url)
  const client = await registerClient(world.url, {
    ...(metadata ? { metadata } : {}),
    clientMetadata: { redirect_uris: ['http://localhost:3000/callback'], client_name: 'Inspector' },
    scope: 'sms:read sms:send',
  })
  expect(client.client_id).toBeDefined()
})

it.each([
  ['http://127.0.0.1/callback', 'http://127.0.0.1:53211/callback'],
  ['http://127.0.0.1:1234/callback', 'http://127.0.0.1:53211/callback'],
  ['http://localhost/callback', 'http://localhost:53211/callback'],
  ['http://[::1]/callback', 'http://[::1]:53211/callback'],
  ['cursor://anysphere.cursor-mcp/oauth/callback', 'cursor://anysphere.cursor-mcp/oauth/callback'],
  ['com.example.assistant:/oauth', 'com.example.assistant:/oauth'],
  ['https://assistant.example/callback?from=here', 'https://assistant.example/callback?from=here'],
])('sends answers to a client that registered %s (RFC 8252 §7)', async (registered, used) => {
  const assistant = await world.assistant({ redirect_uris: [registered] })
  const page = await ama.person.visit(assistant.authorizeUrl({ redirect_uri: used }))
  const left = await decide(ama.person, page, READING)
  expect(left.startsWith(used)).toBe(true)
  const code = new URL(left).searchParams.get('code') ?? ''
  expect((await assistant.trade(code, { redirect_uri: used })).status).toBe(200)
})

it.each([
  [['https://assistant.example/callback'], 'https://assistant.example:8443/callback'],
  [['https://assistant.example/callback'], 'https://assistant.example/callback/more'],
  [['https://assistant.example/callback'], 'https://evil.assistant.example/callback'],
  [['cursor://anysphere.cursor-mcp/oauth'], 'cursor://anysphere.cursor-mcp/other'],
  [['http://127.0.0.1/callback'], 'http://localhost/callback'],
  [['http://127.0.0.1/callback'], 'https://127.0.0.1/callback'],
])('of %j sends nothing to %s', async (redirect_uris, redirect_uri) => {
  const assistant = await world.assistant({ redirect_uris })
  const { status, left } = await createPerson().visit(assistant.authorizeUrl({ redirect_uri }))
  expect({ status, left }).toEqual({ status: 400, left: undefined })
})

it.each([
  'http://assistant.example/callback',
  'http://192.168.1.2/callback',
  'http://127.0.0.1.evil.example/callback',
  'http://localhost.evil.example/callback',
  'https://assistant.example/callback#here',
  'https://assistant.example/callback#',
  'https://user:password@assistant.example/callback',
  'javascript:alert(1)',
  'JavaScript://%0aalert(1)',
  'data:text/html,<script>alert(1)</script>',
  'vbscript:x',
  'blob:https://assistant.example/1',
  'file:///etc/passwd',
  'filesystem:https://assistant.example/x',
  'view-source:https://assistant.example/',
  'about:blank',
  'mailto:ama@example.com',
  'ws://assistant.example/',
  'ms-appinstaller:?source=https://evil.example/a.msix',
  'search-ms:query=a',
  'intent://evil.example/',
  'steam://run/1',
  'editor://vendor.editor-mcp/oauth/callback',
  'cursor-evil://callback',
  '/callback',
  'assistant.example',
  '',
])('registers nobody who wants answers at %s', async (uri) => {
  for (const application_type of [undefined, 'web', 'native']) {
    const { status, body } = await register(world.url, { redirect_uris: [uri], application_type })
    expect([status, body.error]).toEqual([
      400,
      expect.stringMatching(/^invalid_(client_metadata|redirect_uri)$/),
    ])
  }
  const beside = await register(world.url, { redirect_uris: [REDIRECT, uri] })
  expect(beside.status).toBe(400)
})

it.each([
  'urn:ietf:params:oauth:grant-type:token-exchange',
  'client_credentials',
  'implicit',
  'password',
  'urn:ietf:params:oauth:grant-type:device_code',
  'urn:ietf:params:oauth:grant-type:jwt-bearer',
])('registers nobody for the grant type %s', async (type) => {
  for (const grant_types of [[type], ['authorization_code', type]])
    for (const more of [{}, { redirect_uris: [], response_types: [] }]) {
      const { status, body } = await register(world.url, { grant_types, ...more })
      expect([status, body.error]).toEqual([400, 'invalid_client_metadata'])
    }
})

it.each([
  ['no redirect URI', { redirect_uris: [] }],
  ['no redirect URI, and no use for one', { redirect_uris: [], response_types: [], grant_types: [] }],
  [
    'no redirect URI, and the refresh token only',
    { redirect_uris: [], response_types: [], grant_types: ['refresh_token'] },
  ],
  ['another response type', { response_types: ['token'], grant_types: ['implicit'] }],
  ['an id_token from the browser', { response_types: ['code id_token'] }],
  ['a proof that nobody checks', { token_endpoint_auth_method: 'tls_client_auth' }],
  ['a home that is no page', { client_uri: 'javascript:alert(1)' }],
  ['a picture that is none', { logo_uri: 'data:image/png;base64,AAAA' }],
  ['a name that is too long', { client_name: 'n'.repeat(201) }],
  [
    'too many redirect URIs',
    { redirect_uris: Array.from({ length: 21 }, (_, n) => `https://a.example/${n}`) },
  ],
  ['too much of everything', { contacts: Array.from({ length: 1_000 }, (_, n) => `a${n}@example.com`) }],
  ['a very long home', { client_uri: `https://a.example/${'x'.repeat(40_000)}` }],
  ['more than is read at all', { client_uri: `https://a.example/${'x'.repeat(100_000)}` }],
])('refuses %s, and says so (§3.2.2)', async (_, metadata) => {
  const { status, headers, body } = await register(world.url, metadata)
  expect(status, JSON.stringify(body)).toBe(400)
  expect(headers.get('cache-control')).toBe('no-store')
  expect(body.error).toMatch(/^invalid_(client_metadata|redirect_uri|request)$/)
  expect(body.error_description).toBeDefined()
})

it.each([
  'redirect_uris',
  'grant_types',
  'response_types',
  'client_name',
  'token_endpoint_auth_method',
  'contacts',
])('refuses a %s that is of another kind, without a fault of its own', async (name) => {
  for (const value of [5, true, {}, 'text', [5], [null], [[]], { length: 2 }]) {
    const { status, body } = await register(world.url, { [name]: value })
    if (name === 'client_name' && value === 'text') expect(status).toBe(201)
    else
      expect([status, body.error], JSON.stringify(value)).toEqual([400, expect.stringMatching(/^invalid_/)])
  }
})

it.each(['', 'null', '[]', '"text"', '{', '[{"redirect_uris":["https://a.example"]}]'])(
  'refuses the body %s',
  async (body) => {
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(`${world.url}/oauth/register`, { method: 'POST', headers, body })
    expect(response.status).toBe(400)
    expect(await response.json()).toHaveProperty('error')
  },
)

it('chooses the client’s name in its own books by itself', async () => {
  const wanted = 'wm_the-name-of-a-connector'
  const { body } = await register(world.url, { client_id: wanted, client_secret: 'chosen', wigwag: true })
  expect(body.client_id).not.toBe(wanted)
  expect(body).not.toHaveProperty('client_secret')
  expect(body).not.toHaveProperty('wigwag')
})

it('is not bound by the scope that a client happened to name when it registered', async () => {
  const assistant = await world.assistant({ scope: 'sms:read' })
  expect((await tokensFor(ama, assistant)).scope).toBe('sms:read sms:send')
})

it.each(['<script>alert(1)</script>', '"><img src=x onerror=alert(1)>', '{{constructor}}', '\u202Eevil\n\r'])(
  'shows the name %j to a person as it is, and lets it do nothing',
  async (client_name) => {
    const assistant = await world.assistant({ client_name, client_uri: 'https://a.example/"><script>' })
    const { status, text } = await ama.person.visit(assistant.authorizeUrl())
    expect(status).toBe(200)
    expect(text).not.toMatch(/<script|<img|\u202E/)
  },
)

it('fetches nothing that a client names when it registers', async () => {
  const asked: string[] = []
  const { url } = await openWorld({
    async outbound({ url }) {
      asked.push(url)
      return { kind: 'failure', stage: 'before', failure: 'dns_failed', detail: '', latencyMs: 0 }
    },
  })
  const at = 'https://assistant.example'
  const { status } = await register(url, {
    sector_identifier_uri: `${at}/sector`,
    jwks_uri: `${at}/keys`,
    logo_uri: `${at}/logo`,
    policy_uri: `${at}/policy`,
    initiate_login_uri: `${at}/login`,
  })
  expect(status).toBe(201)
  expect(asked).toEqual([])
})

it('registers twenty clients an hour from one address, and says when to come back', async () => {
  let later = 0
  const clock = { ...systemClock, elapsed: () => systemClock.elapsed() + later }
  const { url } = await openWorld({ clock })
  const here = '192.0.2.7'
  for (let count = 0; count < 20; count++) expect((await register(url, {}, here)).status).toBe(201)
  const refused = await register(url, {}, here)
  expect(refused.status).toBe(429)
  const seconds = Number(refused.headers.get('retry-after'))
  expect(seconds).toBeGreaterThan(3_500)
  expect(seconds).toBeLessThanOrEqual(3_600)
  expect(refused.headers.get('cache-control')).toBe('no-store')
  expect(refused.body.error).toBeDefined()
  expect((await register(url, {}, '192.0.2.8')).status).toBe(201)
  later = 3_600_000
  expect((await register(url, {}, here)).status).toBe(201)
})

it('counts the addresses that one household has in IPv6 as one', async () => {
  const { url } = await openWorld()
  const from = (n: number) => register(url, {}, `2001:db8:1:2::${n.toString(16)}`)
  const answers = await Promise.all(Array.from({ length: 21 }, (_, n) => from(n + 1)))
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(1)
  expect((await register(url, {}, '2001:db8:1:3::1')).status).toBe(201)
})

it('counts the addresses of a whole site in IPv6 as one as well, at five times as many', async () => {
  const { url } = await openWorld()
  const from = (n: number) => register(url, {}, `2001:db8:1:${n.toString(16)}::1`)
  const answers = await Promise.all(Array.from({ length: 101 }, (_, n) => from(n)))
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(1)
  expect((await register(url, {}, '2001:db8:2:1::1')).status).toBe(201)
})

it('registers so many clients an hour in all, from wherever they come, and stores no more', async () => {
  expect(HOURLY_LIMITS.clientsInAll).toBe(500)
  let later = 0
  const clock = {
    ...systemClock,
    now: () => epochMs(systemClock.now() + later),
    elapsed: () => systemClock.elapsed() + later,
  }
  const { url, gateway } = await openWorld({ clock, hourlyLimits: { clientsInAll: 50 } })
  const from = (n: number) => register(url, {}, `192.0.2.${n % 10}`)
  const answers = await Promise.all(Array.from({ length: 60 }, (_, n) => from(n)))
  const refused = answers.filter(({ status }) => status === 429)
  expect(refused).toHaveLength(10)
  expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThan(3_500)
  expect(refused[0]?.body.error).toBe('temporarily_unavailable')
  const kept = await gateway.database.read(({ run }) =>
    run<{ n: number }>(`SELECT count(*) AS n FROM oauth_records WHERE model = 'Client'`, []),
  )
  expect(kept).toEqual([{ n: 50 }])
  later = 3_600_000
  expect((await from(1)).status).toBe(201)
})

it('believes nobody who says where they are, unless the operator trusts them', async () => {
  const { url } = await openWorld({ config: { trustedProxies: [] } })
  const answers = await Promise.all(Array.from({ length: 21 }, () => register(url)))
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(1)
})

it('forgets a client that nobody let in after a day, and others a month after their last connection', async () => {
  const young = await world.assistant()
  const unused = await world.assistant()
  const used = await world.assistant()
  const left = await world.assistant()
  const long = await world.assistant()
  const kofi = await world.resident()
  const { refresh_token } = await tokensFor(kofi, used)
  for (const assistant of [left, long]) await tokensFor(kofi, assistant)
  const now = systemClock.now()
  for (const { id, clientId } of await connections.list(kofi.accountId))
    if (clientId !== used.clientId) await connections.revoke(asOwner(kofi.accountId), id)
  await database.write(async ({ run }) => {
    for (const { clientId } of [unused, used, left, long])
      await run('UPDATE oauth_records SET created_at = $1 WHERE id = $2', [now - DAY_MS - 1, clientId])
    await run('UPDATE connections SET ended_at = $1 WHERE client_id = $2', [
      now - 30 * DAY_MS - 1,
      long.clientId,
    ])
  })
  await pruneClients(database, now)()
  const isKnown = async (assistant: Assistant) =>
    (await createPerson().visit(assistant.authorizeUrl())).status === 200
  expect(await Promise.all([young, unused, used, left, long].map(isKnown))).toEqual([
    true,
    false,
    true,
    true,
    false,
  ])
  expect((await used.refresh(refresh_token)).status).toBe(200)
})
