import { expect, it } from 'vitest'
import { type Changes, REDIRECT } from './assistant.ts'
import { createPerson, wayBack } from './person.ts'
import { expire } from './records.ts'
import { codeFor, consent, DENYING, livingConnections, mcp, READING, shareWorld, tokensFor } from './world.ts'

const world = await shareWorld()
const { database } = world.gateway
const ama = await world.resident()
const assistant = await world.assistant()
const another = await world.assistant()
const stranger = createPerson()

/** The answer to a request for an authorization before anybody is asked. */
async function ask(changes: Changes) {
  const page = await stranger.visit(assistant.authorizeUrl(changes))
  const { status, text, left } = page
  const to = wayBack(page)
  // Some response types are answered behind the #.
  const said = to && Object.fromEntries(new URLSearchParams(to.hash === '' ? to.search : to.hash.slice(1)))
  return { status, text, left, to, said }
}

it('gives a code for what a person allows, and a token for the code (§4.1)', async () => {
  const came = await consent(ama, assistant)
  expect([...came.keys()].sort()).toEqual(['code', 'iss', 'state'])
  expect(came.get('state')).toBe('the-state')
  const { status, body } = await assistant.trade(came.get('code') ?? '')
  expect(status).toBe(200)
  expect(body).toMatchObject({ token_type: 'Bearer', expires_in: 900, scope: 'sms:read sms:send' })
  expect((await mcp(world.url, body.access_token)).status).toBe(200)
})

it('tells the assistant that the person said no, and connects nothing (§4.1.2.1)', async () => {
  const efua = await world.resident()
  const came = await consent(efua, assistant, DENYING)
  expect(Object.fromEntries(came)).toMatchObject({ error: 'access_denied', state: 'the-state' })
  expect(came.has('code')).toBe(false)
  expect(await world.gateway.connections.list(efua.accountId)).toEqual([])
})

it('gives less than was asked for when the person allows less, and says so (§3.3)', async () => {
  const { access_token, scope } = await tokensFor(ama, assistant, READING)
  expect(scope).toBe('sms:read')
  const { text } = await mcp(world.url, access_token)
  expect(text).toContain('"get_balance"')
  expect(text).not.toContain('"send_sms"')
})

it('takes no scope for all there is, and no state for none', async () => {
  const came = await consent(ama, assistant, undefined, { scope: undefined, state: undefined })
  expect(came.has('state')).toBe(false)
  const { body } = await assistant.trade(came.get('code') ?? '')
  expect(body.scope).toBe('sms:read sms:send')
})

it.each(['openid', 'offline_access', 'mcp:tools', 'sms', 'sms:read2'])(
  'refuses %s, which opens nothing here, before anybody is asked (§3.3)',
  async (scope) => {
    const { said } = await ask({ scope })
    expect(said).toMatchObject({ error: 'invalid_scope', state: 'the-state' })
  },
)

it('passes over scopes that it does not know beside those that it does', async () => {
  const came = await consent(ama, assistant, READING, { scope: 'mcp:tools sms:read profile' })
  const { body } = await assistant.trade(came.get('code') ?? '')
  expect(body.scope).toBe('sms:read')
})

it.each(['form_post', 'fragment', 'web_message', 'jwt', 'query.jwt'])(
  'answers by a redirect with a query only, also to an assistant that wants %s',
  async (response_mode) => {
    const { to, said } = await ask({ response_mode })
    expect(to?.hash).toBe('')
    expect(said).toMatchObject({ error: 'unsupported_response_mode', state: 'the-state' })
    const came = await consent(ama, assistant, READING, { response_mode: 'query' })
    expect(came.has('code')).toBe(true)
  },
)

it.each(['token', 'id_token', 'code token', 'code id_token', 'none', '<script>'])(
  'does not answer to the response type %s (§3.1.1)',
  async (response_type) => {
    const { said } = await ask({ response_type, nonce: 'n' })
    expect(said).toMatchObject({ error: 'unsupported_response_type', state: 'the-state' })
    expect(said).not.toHaveProperty('code')
  },
)

it('tells the assistant that it left out the response type (§4.1.2.1)', async () => {
  const { said } = await ask({ response_type: undefined })
  expect(said).toMatchObject({ error: 'invalid_request', state: 'the-state' })
})

it.each(['scope', 'state', 'response_type', 'code_challenge'])(
  'tells the assistant that it sent %s twice (§3.1)',
  async (name) => {
    const { said } = await ask({ [name]: ['sms:read', 'sms:read'] })
    expect(said).toMatchObject({ error: 'invalid_request' })
    expect(said?.error_description).toContain(name)
  },
)

it.each<[string, Changes]>([
  ['a client that nobody knows', { client_id: 'nobody' }],
  ['no client', { client_id: undefined }],
  ['two clients', { client_id: [assistant.clientId, another.clientId] }],
  ['no redirect URI', { redirect_uri: undefined }],
  ['two redirect URIs', { redirect_uri: [REDIRECT, REDIRECT] }],
  ['what is no URI', { redirect_uri: 'callback' }],
])('shows a page and sends nobody anywhere for %s (§4.1.2.1)', async (_, changes) => {
  const { status, left, text } = await ask(changes)
  expect({ status, left }).toEqual({ status: 400, left: undefined })
  expect(text).toContain('The assistant could not be connected')
})

it.each([
  'https://evil.example/callback',
  'http://127.0.0.1:53682/callback/',
  'http://127.0.0.1:53682/callback/../evil',
  'http://127.0.0.1:53682/callback?next=1',
  'http://127.0.0.1:53682/callback#here',
  'http://127.0.0.1:53682/Callback',
  'http://127.0.0.1.evil.example/callback',
  'http://127.0.0.1@evil.example/callback',
  'http://user@127.0.0.1:53682/callback',
  'http://localhost:53682/callback',
  'https://127.0.0.1:53682/callback',
  'javascript:alert(1)',
])('sends nobody to %s, which is not registered (§3.1.2.3)', async (redirect_uri) => {
  const { status, left, text } = await ask({ redirect_uri })
  expect({ status, left }).toEqual({ status: 400, left: undefined })
  expect(text).toContain('redirect_uri')
})

it('answers to the redirect URI that was asked with, of several that are registered', async () => {
  const redirect_uris = ['https://one.example/cb', 'https://two.example/cb?a=b']
  const two = await world.assistant({ redirect_uris })
  const page = await ama.person.visit(two.authorizeUrl({ redirect_uri: 'https://two.example/cb?a=b' }))
  const done = await ama.person.submit(page, READING, (action) => action.includes('/oauth/interaction/'))
  const left = new URL(done.left ?? '')
  expect(left.origin).toBe('https://two.example')
  expect(left.searchParams.get('a')).toBe('b')
})

it('trades a code once: the second time ends what the first one gave (§4.1.2, §10.5)', async () => {
  const kofi = await world.resident()
  const code = await codeFor(kofi, assistant)
  const { body } = await assistant.trade(code)
  const replayed = await assistant.trade(code)
  expect(replayed.status).toBe(400)
  expect(replayed.body.error).toBe('invalid_grant')
  expect((await mcp(world.url, body.access_token)).status).toBe(401)
  expect((await assistant.refresh(body.refresh_token)).body.error).toBe('invalid_grant')
  expect(await livingConnections(world, kofi)).toBe(0)
})

it('trades a code once when two come with it at the same time, and ends what that one got (§10.5)', async () => {
  for (let round = 0; round < 5; round++) {
    const kofi = await world.resident()
    const code = await codeFor(kofi, assistant)
    const answers = await Promise.all([1, 2].map(() => assistant.trade(code)))
    const lucky = answers.filter(({ status }) => status === 200)
    expect(lucky.length).toBeLessThanOrEqual(1)
    for (const { body } of answers.filter((answer) => !lucky.includes(answer)))
      expect(body.error).toBe('invalid_grant')
    expect(await livingConnections(world, kofi)).toBe(0)
    for (const { body } of lucky) {
      expect((await mcp(world.url, body.access_token)).status).toBe(401)
      expect((await assistant.refresh(body.refresh_token)).status).toBe(400)
    }
  }
})

it('trades the code of one client for no other, which does not spoil it (§4.1.3)', async () => {
  const code = await codeFor(ama, assistant)
  const stolen = await another.trade(code, { code_verifier: undefined })
  expect([stolen.status, stolen.body.error]).toEqual([400, 'invalid_grant'])
  expect((await assistant.trade(code, { client_id: another.clientId })).body.error).toBe('invalid_grant')
  expect((await assistant.trade(code)).status).toBe(200)
})

it.each<[string, Changes, string]>([
  ['another redirect URI', { redirect_uri: 'http://127.0.0.1:9/callback' }, 'invalid_grant'],
  ['no redirect URI', { redirect_uri: undefined }, 'invalid_request'],
  ['two redirect URIs', { redirect_uri: [REDIRECT, REDIRECT] }, 'invalid_request'],
  ['no code', { code: undefined }, 'invalid_request'],
  ['another code', { code: 'x'.repeat(43) }, 'invalid_grant'],
  ['no grant type', { grant_type: undefined }, 'invalid_request'],
  ['no client', { client_id: undefined }, 'invalid_request'],
])('trades nothing for %s (§4.1.3)', async (_, changes, error) => {
  const code = await codeFor(ama, assistant)
  const { status, body } = await assistant.trade(code, changes)
  expect([status, body.error]).toEqual([400, error])
  expect(body).not.toHaveProperty('access_token')
})

it('holds the port of a loopback address that it answered to when the code is traded (§4.1.3)', async () => {
  const redirect_uri = 'http://127.0.0.1:61000/callback'
  const code = await codeFor(ama, assistant, READING, { redirect_uri })
  expect((await assistant.trade(code)).body.error).toBe('invalid_grant')
  expect((await assistant.trade(code, { redirect_uri })).status).toBe(200)
})

it('forgets a code after a minute (§4.1.2)', async () => {
  const code = await codeFor(ama, assistant)
  await expire(database, 'AuthorizationCode', code)
  const { status, body } = await assistant.trade(code)
  expect([status, body.error]).toEqual([400, 'invalid_grant'])
})

it('gives a code that lives for a minute', async () => {
  const before = Date.now()
  const code = await codeFor(ama, assistant)
  const [row] = await database.read(({ run }) =>
    run<{ expires_at: number }>(
      `SELECT expires_at FROM oauth_records WHERE model = 'AuthorizationCode' ORDER BY created_at DESC LIMIT 1`,
      [],
    ),
  )
  expect(code.length).toBeGreaterThanOrEqual(43)
  expect(Number(row?.expires_at)).toBeGreaterThan(before)
  expect(Number(row?.expires_at)).toBeLessThanOrEqual(Date.now() + 60_000)
})
