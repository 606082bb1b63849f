import { expect, it } from 'vitest'
import { type Answer, createAssistant, post } from './assistant.ts'
import { codeFor, shareWorld, tokensFor } from './world.ts'

const world = await shareWorld()
const token = `${world.url}/oauth/token`
const ama = await world.resident()
const assistant = await world.assistant()
const { clientId } = assistant

const basic = (id: string, secret: string) => ({
  authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
})

/** The shape of every error (§5.2). */
function expectError({ status, headers, body }: Answer, expected: [status: number, error: string]): void {
  expect([status, body.error]).toEqual(expected)
  expect(Object.keys(body).filter((name) => !['error', 'error_description', 'scope'].includes(name))).toEqual(
    [],
  )
  expect(headers.get('content-type')).toContain('application/json')
  expect(headers.get('cache-control')).toBe('no-store')
}

it('lets nobody keep tokens on the way (§5.1)', async () => {
  const { headers } = await assistant.trade(await codeFor(ama, assistant))
  expect(headers.get('content-type')).toContain('application/json')
  expect(headers.get('cache-control')).toBe('no-store')
  const { refresh_token } = await tokensFor(ama, assistant)
  expect((await assistant.refresh(refresh_token)).headers.get('cache-control')).toBe('no-store')
})

it.each([
  'password',
  'client_credentials',
  'implicit',
  'urn:ietf:params:oauth:grant-type:device_code',
  'urn:ietf:params:oauth:grant-type:jwt-bearer',
  'authorization_code refresh_token',
  '__proto__',
])('does not know the grant type %s (§5.2)', async (grant_type) => {
  const answer = await post(token, { client_id: clientId, grant_type, username: 'ama', password: 'secret' })
  expectError(answer, [400, 'unsupported_grant_type'])
})

it('trades no tokens for assistants: that is for connectors', async () => {
  const { access_token } = await tokensFor(ama, assistant)
  const answer = await post(token, {
    client_id: clientId,
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    subject_token: access_token,
    subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
  })
  expect(answer.status).toBe(400)
  expect(answer.body).not.toHaveProperty('access_token')
})

it.each(['grant_type', 'code', 'client_id', 'code_verifier'])('refuses %s twice (§3.2)', async (name) => {
  const code = await codeFor(ama, assistant)
  const value = { grant_type: 'authorization_code', code, client_id: clientId, code_verifier: 'v'.repeat(43) }
  const answer = await assistant.trade(code, {
    [name]: Object(value)[name] && [Object(value)[name], 'other'],
  })
  expectError(answer, [400, 'invalid_request'])
})

it.each([
  ['JSON', 'application/json', JSON.stringify({ grant_type: 'authorization_code', client_id: clientId })],
  ['text', 'text/plain', 'grant_type=authorization_code'],
  ['a form of parts', 'multipart/form-data; boundary=x', '--x--'],
])('wants a form, not %s (§4.1.3)', async (_, type, body) => {
  const response = await fetch(token, { method: 'POST', headers: { 'content-type': type }, body })
  const answer = { status: response.status, headers: response.headers, body: await response.json() }
  expectError(answer, [400, 'invalid_request'])
})

it('refuses a body that is too large, and goes on', async () => {
  const grant_type = 'authorization_code'
  const answer = await post(token, { client_id: clientId, grant_type, code: 'x'.repeat(100_000) })
  expectError(answer, [400, 'invalid_request'])
  expect((await assistant.trade(await codeFor(ama, assistant))).status).toBe(200)
})

it('refuses no body at all', async () => {
  const response = await fetch(token, { method: 'POST' })
  const answer = { status: response.status, headers: response.headers, body: await response.json() }
  expectError(answer, [400, 'invalid_request'])
})

it('knows no token at the address of the tokens by GET, where parameters would lie in logs', async () => {
  const code = await codeFor(ama, assistant)
  const query = new URLSearchParams({ grant_type: 'authorization_code', code, client_id: clientId })
  const response = await fetch(`${token}?${query}`)
  expect([404, 405]).toContain(response.status)
  const posted = await fetch(`${token}?${query}`, { method: 'POST' })
  expect(posted.status).toBe(400)
  expect((await assistant.trade(code)).status).toBe(200)
})

it('says 401 and how to prove it to a client that could not, in the way it tried (§5.2)', async () => {
  const confidential = await createAssistant(world.url, { token_endpoint_auth_method: 'client_secret_basic' })
  const form = { grant_type: 'refresh_token', refresh_token: 'r' }
  const wrong = await post(token, form, basic(confidential.clientId, 'wrong'))
  expectError(wrong, [401, 'invalid_client'])
  expect(wrong.headers.get('www-authenticate')).toMatch(/^Basic /)

  const none = await post(token, { ...form, client_id: confidential.clientId })
  expectError(none, [401, 'invalid_client'])
  const right = await post(token, form, basic(confidential.clientId, confidential.clientSecret ?? ''))
  expectError(right, [400, 'invalid_grant'])
})

it('takes a secret by one way only (§2.3)', async () => {
  const confidential = await createAssistant(world.url, { token_endpoint_auth_method: 'client_secret_post' })
  const secret = confidential.clientSecret ?? ''
  const form = { grant_type: 'refresh_token', refresh_token: 'r', client_secret: secret }
  expectError(await post(token, form, basic(confidential.clientId, secret)), [400, 'invalid_request'])
  expectError(await post(token, { ...form, client_id: confidential.clientId }), [400, 'invalid_grant'])
})

it.each([
  ['a client that nobody knows', 'nobody', 'secret'],
  ['a public client with a secret', clientId, 'secret'],
])('says 401 to %s', async (_, id, secret) => {
  const form = { grant_type: 'refresh_token', refresh_token: 'r' }
  expectError(await post(token, form, basic(id, secret)), [401, 'invalid_client'])
  expectError(await post(token, { ...form, client_id: id, client_secret: secret }), [401, 'invalid_client'])
})

it.each(['Basic', 'Basic !!!', 'Basic bm9jb2xvbg==', 'Bearer token', 'Basic JTpz'])(
  'says what is wrong with the header Authorization: %s',
  async (authorization) => {
    expectError(await post(token, { grant_type: 'refresh_token', refresh_token: 'r' }, { authorization }), [
      400,
      'invalid_request',
    ])
  },
)

it('repeats nothing secret in an error', async () => {
  const secret = 'the-secret-that-was-tried'
  for (const name of [
    'code',
    'code_verifier',
    'client_secret',
    'refresh_token',
    'grant_type',
    'redirect_uri',
  ]) {
    const { body } = await assistant.trade('the-secret-that-was-tried', { [name]: secret })
    expect(JSON.stringify(body)).not.toContain(secret)
  }
})
