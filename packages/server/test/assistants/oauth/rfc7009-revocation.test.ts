import { expect, it } from 'vitest'
import { BALANCE, callWith } from '../../support/front.ts'
import { post } from './assistant.ts'
import { addStandalone } from './standalone.ts'
import { livingConnections, mcp, READING, shareWorld, tokensFor } from './world.ts'

const world = await shareWorld()
const assistant = await world.assistant()
const another = await world.assistant()

it.each([
  ['access token', 'access_token', undefined],
  ['refresh token', 'refresh_token', undefined],
  ['access token, which is called a refresh token', 'access_token', 'refresh_token'],
  ['refresh token, which is called an access token', 'refresh_token', 'access_token'],
  ['refresh token, which is called something else', 'refresh_token', 'id_token'],
] as const)('ends a connection by its %s (§2.1)', async (_, name, token_type_hint) => {
  const ama = await world.resident()
  const tokens = await tokensFor(ama, assistant)
  expect(await livingConnections(world, ama)).toBe(1)
  const { status } = await assistant.revoke(tokens[name], { token_type_hint })
  expect(status).toBe(200)
  expect(await livingConnections(world, ama)).toBe(0)
  const refused = await mcp(world.url, tokens.access_token)
  expect(refused.status).toBe(401)
  expect(refused.headers.get('www-authenticate')).toContain('error="invalid_token"')
  expect((await assistant.refresh(tokens.refresh_token)).body.error).toBe('invalid_grant')
})

it('ends tokens for the REST API too, on their next use', async () => {
  const ama = await world.resident()
  const resource = 'http://127.0.0.1:9/mcp'
  const standalone = await addStandalone(world, resource)
  const { access_token, refresh_token } = await tokensFor(ama, assistant, READING, { resource })
  const { body } = await standalone.exchange(access_token)
  const proof = { authorization: `Bearer ${body.access_token}` }
  expect((await callWith(world.url, proof, { path: BALANCE })).status).toBe(200)
  await assistant.revoke(refresh_token)
  expect((await callWith(world.url, proof, { path: BALANCE })).status).toBe(401)
  expect((await standalone.introspect(access_token)).body).toEqual({ active: false })
  expect((await standalone.exchange(access_token)).status).toBe(400)
})

it('ends it once, and says 200 every time (§2.2)', async () => {
  const ama = await world.resident()
  const { access_token } = await tokensFor(ama, assistant)
  const answers = await Promise.all([1, 2, 3].map(() => assistant.revoke(access_token)))
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
  expect((await assistant.revoke(access_token)).status).toBe(200)
  const rows = await world.gateway.database.read(({ run }) =>
    run<{ n: number }>('SELECT count(*) AS n FROM audit WHERE action = $1 AND account_id = $2', [
      'connection.end',
      ama.accountId,
    ]),
  )
  expect(rows.map(({ n }) => Number(n))).toEqual([1])
})

it.each(['nobody-gave-this', 'wd_nobody-gave-this', '{}', 'a.b.c'])(
  'says 200 to the token %s, which it does not know (§2.2)',
  async (token) => {
    expect((await assistant.revoke(token)).status).toBe(200)
  },
)

it('does nothing for the token of another client, and tells nothing of it (§2.1)', async () => {
  const ama = await world.resident()
  const confidential = await world.assistant({ token_endpoint_auth_method: 'client_secret_post' })
  const { access_token, refresh_token } = await tokensFor(ama, assistant)
  for (const thief of [another, confidential])
    for (const token of [access_token, refresh_token]) {
      const { status, body } = await thief.revoke(token)
      expect([status, body]).toEqual([200, { text: '' }])
    }
  expect((await mcp(world.url, access_token)).status).toBe(200)
  expect((await assistant.refresh(refresh_token)).status).toBe(200)
})

it('does nothing for a connector, whose the tokens are not', async () => {
  const ama = await world.resident()
  const resource = 'http://127.0.0.1:10/mcp'
  const { id, secret } = await addStandalone(world, resource)
  const { access_token } = await tokensFor(ama, assistant, READING, { resource })
  const form = { client_id: id, client_secret: secret, token: access_token }
  expect((await post(`${world.url}/oauth/revoke`, form)).status).toBe(200)
  expect(await livingConnections(world, ama)).toBe(1)
})

it('wants a client to prove itself if it can (§2.1)', async () => {
  const ama = await world.resident()
  const confidential = await world.assistant({ token_endpoint_auth_method: 'client_secret_post' })
  const { access_token } = await tokensFor(ama, confidential)
  for (const client_secret of ['wrong', undefined]) {
    const { status, body } = await confidential.revoke(access_token, { client_secret })
    expect([status, body.error]).toEqual([401, 'invalid_client'])
  }
  expect((await mcp(world.url, access_token)).status).toBe(200)
  expect((await confidential.revoke(access_token)).status).toBe(200)
  expect((await mcp(world.url, access_token)).status).toBe(401)
})

it.each([
  ['no token', { token: undefined }, 400, 'invalid_request'],
  ['two tokens', { token: ['a', 'b'] }, 400, 'invalid_request'],
  ['no client', { client_id: undefined }, 400, 'invalid_request'],
  ['a client that nobody knows', { client_id: 'nobody' }, 401, 'invalid_client'],
])('says what is wrong with %s', async (_, changes, status, error) => {
  const answer = await assistant.revoke('x', changes)
  expect([answer.status, answer.body.error]).toEqual([status, error])
})

it('leaves other connections alone', async () => {
  const ama = await world.resident()
  const one = await tokensFor(ama, assistant)
  const two = await tokensFor(ama, assistant)
  await assistant.revoke(one.access_token)
  expect((await mcp(world.url, two.access_token)).status).toBe(200)
  expect(await livingConnections(world, ama)).toBe(1)
})

it('revokes a refresh token that was used before, with everything that came of it', async () => {
  const ama = await world.resident()
  const first = await tokensFor(ama, assistant)
  const { body: second } = await assistant.refresh(first.refresh_token)
  expect((await assistant.revoke(first.refresh_token)).status).toBe(200)
  expect((await mcp(world.url, second.access_token)).status).toBe(401)
})
