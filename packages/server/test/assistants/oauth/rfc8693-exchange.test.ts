import { expect, it } from 'vitest'
import { asOwner } from '../../support/assistants.ts'
import { BALANCE, callWith, SINGLE, single } from '../../support/front.ts'
import { type Changes, post } from './assistant.ts'
import { expire } from './records.ts'
import { ACCESS_TOKEN, addStandalone, standaloneOf } from './standalone.ts'
import { mcp, READING, SENDING, shareWorld, tokensFor } from './world.ts'

const world = await shareWorld()
const { gateway, url } = world
const ama = await world.resident()
const assistant = await world.assistant()
const resource = 'http://127.0.0.1:9/mcp'
const standalone = await addStandalone(world, resource)
const other = await addStandalone(world, 'http://127.0.0.1:10/mcp')

const letIn = async (choice = SENDING as Record<string, string>, resident = ama) =>
  (await tokensFor(resident, assistant, choice, { resource })).access_token
const as = (token: string) => ({ authorization: `Bearer ${token}` })

it('gives a connector a token for the REST API for the one that it was shown (§2.2.1)', async () => {
  const { status, headers, body } = await standalone.exchange(await letIn())
  expect(status).toBe(200)
  expect(headers.get('cache-control')).toBe('no-store')
  expect(body).toEqual({
    access_token: expect.stringMatching(/^wd_[\w-]{43}$/),
    issued_token_type: ACCESS_TOKEN,
    token_type: 'Bearer',
    expires_in: expect.closeTo(300, -1),
    scope: 'sms:read sms:send',
  })
  expect((await callWith(url, as(body.access_token), { path: BALANCE })).status).toBe(200)
  expect((await callWith(url, as(body.access_token), { path: SINGLE, body: single() })).status).toBe(200)
})

it('makes a token that is good for the REST API, and for nothing else', async () => {
  const { body } = await standalone.exchange(await letIn())
  expect((await mcp(url, body.access_token)).status).toBe(401)
  expect((await standalone.introspect(body.access_token)).body).toEqual({ active: false })
  expect((await standalone.exchange(body.access_token)).status).toBe(400)
  expect((await assistant.refresh(body.access_token)).status).toBe(400)
})

it('makes the token that it was shown good for nothing at the REST API', async () => {
  const token = await letIn()
  expect((await callWith(url, as(token), { path: BALANCE })).status).toBe(401)
})

it.each<[string, Record<string, string>, string | undefined, string, number]>([
  ['all', SENDING, undefined, 'sms:read sms:send', 200],
  ['all by name', SENDING, 'sms:read sms:send', 'sms:read sms:send', 200],
  ['reading', SENDING, 'sms:read', 'sms:read', 403],
  ['all of a connection that only reads', READING, undefined, 'sms:read', 403],
  ['more than the person allowed', READING, 'sms:read sms:send', 'sms:read', 403],
])('gives %s, and says what it gave', async (_, choice, scope, given, sending) => {
  const { body } = await standalone.exchange(await letIn(choice), { scope })
  expect(body.scope).toBe(given)
  expect((await callWith(url, as(body.access_token), { path: BALANCE })).status).toBe(200)
  const sent = await callWith(url, as(body.access_token), { path: SINGLE, body: single() })
  expect(sent.status).toBe(sending)
  if (sending === 403) expect(sent.headers.get('www-authenticate')).toContain('insufficient_scope')
})

it.each<[string, Changes, string]>([
  ['another resource', { resource: 'https://elsewhere.example' }, 'invalid_target'],
  ['the resource of the tools', { resource: `${url}/mcp` }, 'invalid_target'],
  ['another audience', { audience: 'https://elsewhere.example' }, 'invalid_target'],
  ['a good resource and another audience', { resource: url, audience: resource }, 'invalid_target'],
  ['two resources', { resource: [url, url] }, 'invalid_request'],
  ['no token', { subject_token: undefined }, 'invalid_request'],
  ['two tokens', { subject_token: ['a', 'b'] }, 'invalid_request'],
  ['no kind of token', { subject_token_type: undefined }, 'invalid_request'],
  [
    'another kind of token',
    { subject_token_type: 'urn:ietf:params:oauth:token-type:jwt' },
    'invalid_request',
  ],
  [
    'a refresh token by its kind',
    { subject_token_type: 'urn:ietf:params:oauth:token-type:refresh_token' },
    'invalid_request',
  ],
  ['somebody who acts', { actor_token: 'a', actor_token_type: ACCESS_TOKEN }, 'invalid_request'],
  [
    'another kind of token back',
    { requested_token_type: 'urn:ietf:params:oauth:token-type:refresh_token' },
    'invalid_request',
  ],
  ['scopes that are none', { scope: 'sms:read\u00e9' }, 'invalid_scope'],
])('refuses %s (§2.2.2)', async (_, changes, error) => {
  const { status, body } = await standalone.exchange(await letIn(), changes)
  expect([status, body.error]).toEqual([400, error])
  expect(body).not.toHaveProperty('access_token')
})

it('takes its own address for the resource and the audience', async () => {
  const { status } = await standalone.exchange(await letIn(), { resource: url, audience: url })
  expect(status).toBe(200)
  const { body } = await standalone.exchange(await letIn(), { requested_token_type: ACCESS_TOKEN })
  expect(body.issued_token_type).toBe(ACCESS_TOKEN)
})

it.each([
  ['made for another connector', async () => ({ at: other, token: await letIn() })],
  [
    'made for the gateway',
    async () => ({ at: standalone, token: (await tokensFor(ama, assistant)).access_token }),
  ],
  [
    'a refresh token',
    async () => ({
      at: standalone,
      token: (await tokensFor(ama, assistant, READING, { resource })).refresh_token,
    }),
  ],
  ['what nobody gave', async () => ({ at: standalone, token: 'nobody-gave-this' })],
  ['the connector’s own secret', async () => ({ at: standalone, token: standalone.secret })],
])('trades no token that is %s (§2.1)', async (_, given) => {
  const { at, token } = await given()
  const { status, body } = await at.exchange(token)
  expect([status, body.error]).toEqual([400, 'invalid_request'])
})

it('trades no token that is too old', async () => {
  const token = await letIn()
  await expire(gateway.database, 'AccessToken', token)
  expect((await standalone.exchange(token)).status).toBe(400)
})

it('trades no token of a connection that has ended, nor of an account that is suspended', async () => {
  const kofi = await world.resident()
  const token = await letIn(SENDING, kofi)
  const { body } = await standalone.exchange(token)
  await gateway.operator.setStatus(kofi.accountId, 'suspended')
  expect((await standalone.exchange(token)).status).toBe(400)
  expect((await callWith(url, as(body.access_token), { path: BALANCE })).status).toBe(403)
  await gateway.operator.setStatus(kofi.accountId, 'active')
  expect((await standalone.exchange(token)).status).toBe(200)
  expect((await callWith(url, as(body.access_token), { path: BALANCE })).status).toBe(200)
  const [connection] = await gateway.connections.list(kofi.accountId)
  await gateway.connections.revoke(asOwner(kofi.accountId), connection?.id ?? '')
  expect((await standalone.exchange(token)).status).toBe(400)
  expect((await callWith(url, as(body.access_token), { path: BALANCE })).status).toBe(401)
})

it.each([
  ['the wrong secret', { secret: 'wrong' }],
  ['the secret of another', { secret: other.secret }],
  ['no secret', { secret: '' }],
  ['a name that nobody has', { id: 'wm_nobody' }],
])('trades nothing for a connector with %s', async (_, changes) => {
  const { status, body } = await standaloneOf(url, { ...standalone, ...changes }).exchange(await letIn())
  expect([400, 401]).toContain(status)
  expect(['invalid_client', 'invalid_request']).toContain(body.error)
  expect(body).not.toHaveProperty('access_token')
})

it('trades nothing for assistants, whatever they know', async () => {
  const token = await letIn()
  const confidential = await world.assistant({ token_endpoint_auth_method: 'client_secret_post' })
  const form = {
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    subject_token: token,
    subject_token_type: ACCESS_TOKEN,
  }
  for (const { clientId, clientSecret } of [assistant, confidential]) {
    const { status, body } = await post(`${url}/oauth/token`, {
      ...form,
      client_id: clientId,
      client_secret: clientSecret,
    })
    expect(status).toBe(400)
    expect(body).not.toHaveProperty('access_token')
  }
})

it('trades nothing for a connector that was removed, from the next call on', async () => {
  const there = 'http://127.0.0.1:11/mcp'
  const gone = await addStandalone(world, there)
  const { access_token } = await tokensFor(ama, assistant, READING, { resource: there })
  expect((await gone.exchange(access_token)).status).toBe(200)
  await gateway.standalone.remove(gone.id)
  const { status, body } = await gone.exchange(access_token)
  expect([status, body.error]).toEqual([401, 'invalid_client'])
})

it('lets connectors do nothing else', async () => {
  const proof = { client_id: standalone.id, client_secret: standalone.secret }
  for (const grant_type of ['authorization_code', 'refresh_token', 'client_credentials']) {
    const { status } = await post(`${url}/oauth/token`, {
      ...proof,
      grant_type,
      code: 'x',
      refresh_token: 'x',
    })
    expect([400, 401]).toContain(status)
  }
  const { left, status } = await ama.person.visit(assistant.authorizeUrl({ client_id: standalone.id }))
  expect({ left, status }).toEqual({ left: undefined, status: 400 })
})
