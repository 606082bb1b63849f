import { expect, it } from 'vitest'
import { asOwner, WIDE } from '../../support/assistants.ts'
import { type Changes, post } from './assistant.ts'
import { expire } from './records.ts'
import { addStandalone, standaloneOf } from './standalone.ts'
import { READING, SENDING, shareWorld, tokensFor } from './world.ts'

const world = await shareWorld()
const { gateway } = world
const ama = await world.resident()
const assistant = await world.assistant()
const resource = 'http://127.0.0.1:9/mcp'
const standalone = await addStandalone(world, resource)
const other = await addStandalone(world, 'http://127.0.0.1:10/mcp')
const INACTIVE = { active: false }

const letIn = (choice = SENDING as Record<string, string>, resident = ama, changes: Changes = {}) =>
  tokensFor(resident, assistant, choice, { resource, ...changes })

it('tells a connector what a token that is made for it opens (§2.2)', async () => {
  const before = Math.floor(Date.now() / 1_000)
  const { access_token } = await letIn()
  const after = Math.ceil(Date.now() / 1_000)
  const { status, headers, body } = await standalone.introspect(access_token)
  expect(status).toBe(200)
  expect(headers.get('cache-control')).toBe('no-store')
  const [connection] = await gateway.connections.list(ama.accountId)
  expect(body).toEqual({
    active: true,
    aud: resource,
    iss: world.url,
    sub: ama.accountId,
    client_id: assistant.clientId,
    connection: connection?.id,
    scope: 'sms:read sms:send',
    token_type: 'Bearer',
    unasked: 'send',
    iat: expect.any(Number),
    exp: expect.any(Number),
  })
  expect(body.exp).toBeGreaterThanOrEqual(before + 900)
  expect(body.exp).toBeLessThanOrEqual(after + 900)
})

it('tells a connector at once what a person has set for when they can not be asked', async () => {
  const { access_token } = await letIn()
  const told = async () => (await standalone.introspect(access_token)).body.unasked
  expect(await told()).toBe('send')
  const [connection] = await gateway.connections.list(ama.accountId)
  await gateway.connections.changeLimits(asOwner(ama.accountId), connection?.id ?? '', {
    ...WIDE,
    unasked: 'refuse',
  })
  expect(await told()).toBe('refuse')
})

it('tells a connector that a person allowed only reading', async () => {
  const { access_token } = await letIn(READING)
  expect((await standalone.introspect(access_token)).body.scope).toBe('sms:read')
})

it.each(['access_token', 'refresh_token', 'anything'])('finds it whatever it is called: %s', async (hint) => {
  const { access_token } = await letIn()
  expect((await standalone.introspect(access_token, { token_type_hint: hint })).body.active).toBe(true)
})

it('says nothing of a refresh token, a code or another secret (§2.2)', async () => {
  const { refresh_token } = await letIn()
  for (const token of [refresh_token, standalone.secret, ama.walletToken, 'nobody-gave-this', '{}'])
    expect((await standalone.introspect(token)).body).toEqual(INACTIVE)
})

it('says nothing of tokens that are made for another connector, or for the gateway', async () => {
  const { access_token } = await letIn()
  expect((await other.introspect(access_token)).body).toEqual(INACTIVE)
  const { access_token: ours } = await tokensFor(ama, assistant)
  expect((await standalone.introspect(ours)).body).toEqual(INACTIVE)
})

it.each([
  ['the wrong secret', { secret: 'wrong' }],
  ['the secret of another', { secret: other.secret }],
  ['a name that nobody has', { id: 'wm_nobody' }],
])('refuses a connector with %s (§2.1)', async (_, changes) => {
  const { access_token } = await letIn()
  const { status, headers, body } = await standaloneOf(world.url, { ...standalone, ...changes }).introspect(
    access_token,
  )
  expect([status, body.error]).toEqual([401, 'invalid_client'])
  expect(headers.get('www-authenticate')).toMatch(/^Basic /)
  expect(body).not.toHaveProperty('active')
})

it('tells assistants nothing: who has a token should not learn whether it is one (§2.1, §4)', async () => {
  const { access_token, refresh_token } = await letIn()
  const another = await world.assistant()
  for (const token of [access_token, refresh_token])
    for (const asking of [assistant, another]) expect((await asking.introspect(token)).body).toEqual(INACTIVE)
  const confidential = await world.assistant({ token_endpoint_auth_method: 'client_secret_post' })
  expect((await confidential.introspect(access_token)).body).toEqual(INACTIVE)
})

it('refuses whoever proves nothing', async () => {
  const { access_token } = await letIn()
  const url = `${world.url}/oauth/introspect`
  expect((await post(url, { token: access_token })).body.error).toBe('invalid_request')
  expect((await post(url, { token: access_token, client_id: standalone.id })).body.error).toBe(
    'invalid_client',
  )
  const bearer = { authorization: `Bearer ${access_token}` }
  expect((await post(url, { token: access_token }, bearer)).status).toBe(400)
})

it('wants one token', async () => {
  for (const token of [undefined, ['a', 'b']]) {
    const { status, body } = await standalone.introspect('x', { token })
    expect([status, body.error]).toEqual([400, 'invalid_request'])
  }
})

it('knows a token no more when it is too old', async () => {
  const { access_token } = await letIn()
  await expire(gateway.database, 'AccessToken', access_token)
  expect((await standalone.introspect(access_token)).body).toEqual(INACTIVE)
})

it('knows a token no more when its connection was ended, by the person or by the assistant', async () => {
  const kofi = await world.resident()
  const one = await letIn(SENDING, kofi)
  const [connection] = await gateway.connections.list(kofi.accountId)
  await gateway.connections.revoke(asOwner(kofi.accountId), connection?.id ?? '')
  expect((await standalone.introspect(one.access_token)).body).toEqual(INACTIVE)
  const two = await letIn(SENDING, kofi)
  await assistant.revoke(two.refresh_token)
  expect((await standalone.introspect(two.access_token)).body).toEqual(INACTIVE)
})

it('knows a token no more while the account is suspended', async () => {
  const kofi = await world.resident()
  const { access_token } = await letIn(SENDING, kofi)
  await gateway.operator.setStatus(kofi.accountId, 'suspended')
  expect((await standalone.introspect(access_token)).body).toEqual(INACTIVE)
  await gateway.operator.setStatus(kofi.accountId, 'active')
  expect((await standalone.introspect(access_token)).body.active).toBe(true)
})

it('knows a connector no more when it was removed', async () => {
  const there = 'http://127.0.0.1:11/mcp'
  const gone = await addStandalone(world, there)
  const { access_token } = await letIn(SENDING, ama, { resource: there })
  expect((await gone.introspect(access_token)).body.active).toBe(true)
  // As a person may write the address that `add` was given.
  await gateway.standalone.remove('http://127.0.0.1:011/mcp')
  const { status, body } = await gone.introspect(access_token)
  expect([status, body.error]).toEqual([401, 'invalid_client'])
})
