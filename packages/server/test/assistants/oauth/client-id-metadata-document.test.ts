import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { HOURLY_LIMITS } from '../../../src/assistants/oauth/hourly-limits.ts'
import { epochMs } from '../../../src/kernel/ids.ts'
import { systemClock } from '../../../src/kernel/process/clock.ts'
import { createSelfSigned } from '../../platform/outbound/self-signed.ts'
import { type Assistant, assistantOf, post, REDIRECT } from './assistant.ts'
import { createDocuments } from './documents.ts'
import { createPerson } from './person.ts'
import { codeFor, consent, mcp, openWorld, READING, shareWorld, tokensFor } from './world.ts'

const documents = createDocuments()
/** Time stands unless a test moves it. */
let later = 0
const began = { now: systemClock.now(), elapsed: systemClock.elapsed() }
const clock = {
  ...systemClock,
  now: () => epochMs(began.now + later),
  elapsed: () => began.elapsed + later,
}
const world = await shareWorld({ outbound: documents.outbound, clock })
const ama = await world.resident()
const stranger = createPerson()
let made = 0

/** A client that names itself by the address of a document, with what the document says besides. */
function publish(changes: object = {}, reply?: Parameters<typeof documents.put>[2]): Assistant {
  const clientId = `https://assistant.example/client-${++made}.json`
  const document = {
    client_id: clientId,
    client_name: 'Documented assistant',
    redirect_uris: [REDIRECT],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    ...changes,
  }
  documents.put(clientId, document, reply)
  return assistantOf(world.url, { clientId, clientSecret: undefined, redirectUri: REDIRECT })
}

async function ask(assistant: Assistant, url?: string) {
  const { status, left, text } = await stranger.visit(url ?? assistant.authorizeUrl())
  return { status, left, text }
}

const REFUSED = { status: 400, left: undefined, text: expect.stringContaining('could not be connected') }

it('lets in a client that describes itself at its own address, and names the domain to the person', async () => {
  const assistant = publish()
  const page = await ama.person.visit(assistant.authorizeUrl())
  expect(page.text).toContain('assistant.example')
  expect(page.text).toContain('Its description was fetched from')
  const { access_token, refresh_token } = await tokensFor(ama, assistant)
  expect((await mcp(world.url, access_token)).status).toBe(200)
  const { body } = await assistant.refresh(refresh_token)
  expect((await assistant.revoke(body.refresh_token)).status).toBe(200)
  expect((await mcp(world.url, body.access_token)).status).toBe(401)
})

it('asks for the document once, with nothing of ours, and keeps it for a while', async () => {
  const assistant = publish()
  const before = documents.asked.length
  await tokensFor(ama, assistant)
  await tokensFor(ama, assistant)
  const asked = documents.asked.slice(before)
  expect(asked).toHaveLength(1)
  expect(asked[0]).toMatchObject({ method: 'GET', url: assistant.clientId, maxReplyBytes: 5 * 1_024 })
  expect(Object.keys(asked[0]?.headers ?? {})).toEqual(['accept'])
  expect(asked[0]?.timeoutMs).toBeLessThanOrEqual(5_000)
})

it('keeps nothing of documents in the store', async () => {
  const assistant = publish()
  await tokensFor(ama, assistant)
  const rows = await world.gateway.database.read(({ run }) =>
    run<{ id: string }>('SELECT id FROM oauth_records WHERE model = $1', ['Client']),
  )
  expect(rows).toEqual([])
})

it.each([
  [
    'an editor',
    { grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'] },
  ],
  [
    'a service',
    { grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:jwt-bearer'] },
  ],
  [
    'one that trades tokens elsewhere',
    {
      grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:token-exchange'],
    },
  ],
  ['one that also knows other answers', { response_types: ['code', 'code id_token'] }],
  [
    'one that signs what it says where it can',
    {
      token_endpoint_auth_method: 'private_key_jwt',
      token_endpoint_auth_methods_supported: ['none', 'private_key_jwt'],
      token_endpoint_auth_signing_alg: 'RS256',
      jwks_uri: 'https://assistant.example/keys.json',
    },
  ],
  [
    'one with a picture and a home',
    { logo_uri: 'https://a.example/a.png', client_uri: 'https://a.example/' },
  ],
  ['one that says which scopes it likes', { scope: 'sms:read' }],
])('lets in %s, whose document is written for every server there is', async (_, changes) => {
  const { scope, refresh_token } = await tokensFor(ama, publish(changes))
  expect(scope).toBe('sms:read sms:send')
  expect(refresh_token).toBeDefined()
})

it('trades no tokens for a client whose document wants that', async () => {
  const type = 'urn:ietf:params:oauth:grant-type:token-exchange'
  const assistant = publish({ grant_types: ['authorization_code', type] })
  const { access_token } = await tokensFor(ama, assistant)
  const { status, body } = await assistant.trade('x', { grant_type: type, subject_token: access_token })
  expect(status).toBe(400)
  expect(body).not.toHaveProperty('access_token')
})

it.each([
  ['the name of another client', { client_id: 'https://assistant.example/other.json' }],
  ['no name', { client_id: undefined }],
  ['a secret', { client_secret: 'secret' }],
  ['a secret that never ends', { client_secret_expires_at: 0 }],
  ['a proof by secret', { token_endpoint_auth_method: 'client_secret_post' }],
  [
    'a choice of proofs by secret',
    { token_endpoint_auth_method: undefined, token_endpoint_auth_methods_supported: ['client_secret_basic'] },
  ],
  ['no proof that is known here', { token_endpoint_auth_method: 'private_key_jwt' }],
  ['no redirect URIs', { redirect_uris: [] }],
  ['a redirect URI over http', { redirect_uris: [REDIRECT, 'http://assistant.example/callback'] }],
  [
    'a redirect URI over http, for the web',
    { redirect_uris: [REDIRECT, 'http://assistant.example/'], application_type: 'web' },
  ],
  ['a redirect URI that runs', { redirect_uris: [REDIRECT, 'javascript:alert(1)'] }],
  ['only grants of others', { grant_types: ['client_credentials'] }],
  ['no answer that is known here', { response_types: ['token'] }],
  ['a home over http', { client_uri: 'http://assistant.example/' }],
  ['a name that is too long', { client_name: 'n'.repeat(201) }],
])('refuses a document with %s', async (_, changes) => {
  expect(await ask(publish(changes))).toEqual(REFUSED)
})

it.each([
  ['text', 'hello'],
  ['a page', '<!doctype html><title>Hello</title>'],
  ['a list', '[]'],
  ['nothing', 'null'],
  ['no bytes', ''],
])('refuses a document that is %s', async (_, body) => {
  const assistant = publish()
  documents.put(assistant.clientId, body)
  expect(await ask(assistant)).toEqual(REFUSED)
})

it.each([
  'text/html',
  'text/plain',
  'application/octet-stream',
  'application/jsonp',
  'image/json',
  undefined,
])('refuses a document that is sent as %s, whatever is in it', async (type) => {
  const headers = type === undefined ? {} : { 'content-type': type }
  expect(await ask(publish({}, { headers }))).toEqual(REFUSED)
})

it.each(['application/json', 'Application/JSON; charset=utf-8', 'application/oauth-client+json'])(
  'takes a document that is sent as %s',
  async (type) => {
    const headers = { 'content-type': type }
    expect(await ask(publish({}, { headers }))).toMatchObject({ status: 200 })
  },
)

it.each([301, 302, 303, 307, 308])('does not follow a document that has moved (%i)', async (status) => {
  const headers = { location: 'https://assistant.example/elsewhere.json' }
  const moved = publish({}, { status, headers })
  const before = documents.asked.length
  expect(await ask(moved)).toEqual(REFUSED)
  const asked = new Set(documents.asked.slice(before).map(({ url }) => url))
  expect([...asked]).toEqual([moved.clientId])
})

it.each([201, 204, 304, 403, 404, 500, 999])('takes no document from an answer of %i', async (status) => {
  expect(await ask(publish({}, { status }))).toEqual(REFUSED)
})

it('takes no document that is too large, also when nothing is in what is too much', async () => {
  expect(await ask(publish({ policy: 'p'.repeat(4_000) }))).toMatchObject({ status: 200 })
  expect(await ask(publish({ policy: 'p'.repeat(5_000) }))).toEqual(REFUSED)
  const { clientId, ...padded } = publish()
  const document = { client_id: clientId, redirect_uris: [REDIRECT], token_endpoint_auth_method: 'none' }
  documents.put(clientId, JSON.stringify(document) + ' '.repeat(5_000))
  expect(await ask({ clientId, ...padded })).toEqual(REFUSED)
})

it('asks again after a minute for a document that was refused, and takes it when it was mended', async () => {
  const assistant = publish({ redirect_uris: [] })
  expect(await ask(assistant)).toEqual(REFUSED)
  const { clientId } = assistant
  documents.put(clientId, {
    client_id: clientId,
    redirect_uris: [REDIRECT],
    token_endpoint_auth_method: 'none',
  })
  later += 59_000
  expect(await ask(assistant)).toEqual(REFUSED)
  later += 2_000
  expect(await ask(assistant)).toMatchObject({ status: 200 })
})

it('sends answers only where the document says', async () => {
  const assistant = publish()
  const url = assistant.authorizeUrl({ redirect_uri: 'https://evil.example/' })
  expect(await ask(assistant, url)).toEqual(REFUSED)
  const came = await consent(ama, assistant, READING, { redirect_uri: 'http://127.0.0.1:61999/callback' })
  expect(came.has('code')).toBe(true)
})

it.each([
  'http://assistant.example/client.json',
  'https://user@assistant.example/client.json',
  'https://assistant.example/client.json#here',
  'https://assistant.example/a/../client.json',
  'https://assistant.example/a/%2e%2e/client.json',
  'https:///client.json',
  'https://assistant.example',
  'https://assistant.example/',
  'https://assistant.example?client.json',
  'ftp://assistant.example/client.json',
])('does not take %s for the address of a document', async (client_id) => {
  const before = documents.asked.length
  const assistant = publish()
  expect(await ask(assistant, assistant.authorizeUrl({ client_id }))).toEqual(REFUSED)
  expect(documents.asked.length).toBe(before)
})

it('does not let one client use the code of another', async () => {
  const code = await codeFor(ama, publish())
  const another = publish()
  expect((await another.trade(code)).body.error).toBe('invalid_grant')
})

const ENDPOINTS = ['/oauth/token', '/oauth/revoke', '/oauth/introspect']

/** Asks at an endpoint for programs, as any stranger can, from some address. */
function knock(endpoint: string, clientId: string, from: string, url = world.url) {
  const form = { client_id: clientId, grant_type: 'refresh_token', refresh_token: 'x', token: 'x' }
  return post(`${url}${endpoint}`, form, { 'x-forwarded-for': from })
}

it('refuses a client whose document can not be had, at every address, and asks for it once a minute', async () => {
  const clientId = 'https://nowhere.example/client.json'
  const gone = assistantOf(world.url, { clientId, clientSecret: undefined, redirectUri: REDIRECT })
  const asked = () => documents.asked.filter(({ url }) => url === clientId).length
  for (let round = 1; round <= 2; round++) {
    expect(await ask(gone)).toEqual(REFUSED)
    for (const endpoint of ENDPOINTS) {
      const { status, body } = await knock(endpoint, clientId, '192.0.2.1')
      expect([status, body.error]).toEqual([expect.any(Number), 'invalid_client'])
    }
    expect(asked()).toBe(round)
    later += 61_000
  }
})

it('fetches so many documents an hour for one address at all endpoints, and tells it to come later', async () => {
  expect(HOURLY_LIMITS.documents).toBe(300)
  const { outbound, asked } = createDocuments()
  const { url } = await openWorld({ outbound, clock, hourlyLimits: { documents: 30 } })
  const from = (n: number, address: string) =>
    knock(ENDPOINTS[n % 3] ?? '', `https://victim.example/${n}`, address, url)
  for (let n = 0; n < 30; n++) expect((await from(n, '2001:db8:7:1::1')).body.error).toBe('invalid_client')
  for (let n = 30; n < 33; n++) {
    const { status, headers, body } = await from(n, '2001:db8:7:1::2')
    expect([status, body.error]).toEqual([429, 'temporarily_unavailable'])
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(3_000)
  }
  const clientId = 'https://assistant.example/late.json'
  const late = assistantOf(url, { clientId, clientSecret: undefined, redirectUri: REDIRECT })
  const page = await fetch(late.authorizeUrl(), { headers: { 'x-forwarded-for': '2001:db8:7:1::3' } })
  expect([page.status, page.headers.has('retry-after')]).toEqual([429, true])
  expect(asked).toHaveLength(30)
  expect((await from(0, '2001:db8:7:1::1')).body.error).toBe('invalid_client')
  expect((await from(33, '2001:db8:7:2::1')).body.error).toBe('invalid_client')
  expect(asked).toHaveLength(31)
  later += 3_600_000
  expect((await from(34, '2001:db8:7:1::1')).body.error).toBe('invalid_client')
})

it('asks no address of a private network for a document, nor the machine itself', async () => {
  const server = createServer(createSelfSigned(), (_, response) => response.end('{}'))
  const knocks: unknown[] = []
  server.on('connection', (socket) => knocks.push(socket))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const production = await openWorld({
    config: { environment: 'production', secret: 'of tests', publicUrl: 'https://sms.example.com' },
  })
  const sandbox = await openWorld()
  const askAt = async (url: string, host: string) => {
    const clientId = `https://${host}/client.json`
    const { authorizeUrl } = assistantOf(url, { clientId, clientSecret: undefined, redirectUri: REDIRECT })
    return (await stranger.visit(authorizeUrl())).status
  }
  const hosts = ['127.0.0.1', '[::1]', 'localhost', '127.1', '2130706433', '[::ffff:127.0.0.1]']
  for (const host of hosts) expect(await askAt(production.url, `${host}:${port}`), host).toBe(400)
  expect(knocks).toHaveLength(0)
  for (const host of ['10.0.0.1', '169.254.169.254', '192.168.0.1', '[fd00::1]', '0.0.0.0'])
    expect(await askAt(production.url, host), host).toBe(400)
  // The sandbox may ask its own machine, so that developers can try: the server is one that could be asked.
  expect(await askAt(sandbox.url, `127.0.0.1:${port}`)).toBe(400)
  expect(knocks).not.toHaveLength(0)
  server.closeAllConnections()
  server.close()
})
