import { expect, it } from 'vitest'
import { asOwner } from '../../support/assistants.ts'
import { expire } from './records.ts'
import { livingConnections, mcp, READING, shareWorld, tokensFor } from './world.ts'

const world = await shareWorld()
const { database, operator, connections } = world.gateway
const ama = await world.resident()
const assistant = await world.assistant()

it('gives another refresh token each time, and the newest goes on (§6, RFC 9700 §4.14.2)', async () => {
  let { refresh_token } = await tokensFor(ama, assistant)
  const seen = new Set([refresh_token])
  for (let round = 0; round < 3; round++) {
    const { status, body } = await assistant.refresh(refresh_token)
    expect(status).toBe(200)
    expect(body).toMatchObject({ token_type: 'Bearer', expires_in: 900, scope: 'sms:read sms:send' })
    expect((await mcp(world.url, body.access_token)).status).toBe(200)
    refresh_token = body.refresh_token
    seen.add(refresh_token)
  }
  expect(seen.size).toBe(4)
})

it('ends the grant, its connection and every token of it when a refresh token comes again', async () => {
  const kofi = await world.resident()
  const first = await tokensFor(kofi, assistant)
  const { body: second } = await assistant.refresh(first.refresh_token)
  const { body: third } = await assistant.refresh(second.refresh_token)

  const again = await assistant.refresh(first.refresh_token)
  expect([again.status, again.body.error]).toEqual([400, 'invalid_grant'])
  for (const { access_token, refresh_token } of [first, second, third]) {
    expect((await mcp(world.url, access_token)).status).toBe(401)
    expect((await assistant.refresh(refresh_token)).body.error).toBe('invalid_grant')
  }
  expect(await livingConnections(world, kofi)).toBe(0)
  const rows = await database.read(({ run }) =>
    run<{ actor: string }>('SELECT actor FROM audit WHERE action = $1 AND account_id = $2', [
      'connection.end',
      kofi.accountId,
    ]),
  )
  expect(rows).toEqual([{ actor: 'oauth' }])
})

it('leaves other connections of the person and of the assistant alone when one ends', async () => {
  const kofi = await world.resident()
  const one = await tokensFor(kofi, assistant)
  const two = await tokensFor(kofi, assistant)
  const theirs = await tokensFor(ama, assistant)
  await assistant.refresh(one.refresh_token)
  await assistant.refresh(one.refresh_token)
  expect((await mcp(world.url, one.access_token)).status).toBe(401)
  for (const { access_token } of [two, theirs]) expect((await mcp(world.url, access_token)).status).toBe(200)
  expect(await livingConnections(world, kofi)).toBe(1)
})

it('gives the next tokens at most once for refreshes at the same time, and ends the grant', async () => {
  for (let round = 0; round < 5; round++) {
    const kofi = await world.resident()
    const { refresh_token } = await tokensFor(kofi, assistant)
    const answers = await Promise.all([1, 2, 3].map(() => assistant.refresh(refresh_token)))
    const lucky = answers.filter(({ status }) => status === 200)
    expect(lucky.length).toBeLessThanOrEqual(1)
    expect(await livingConnections(world, kofi)).toBe(0)
    for (const { body } of lucky) expect((await mcp(world.url, body.access_token)).status).toBe(401)
  }
})

it('gives a token for less when it is asked to, and for everything again later (§6)', async () => {
  const { refresh_token } = await tokensFor(ama, assistant)
  const less = await assistant.refresh(refresh_token, { scope: 'sms:read' })
  expect(less.body.scope).toBe('sms:read')
  expect((await mcp(world.url, less.body.access_token)).text).not.toContain('"send_sms"')
  const all = await assistant.refresh(less.body.refresh_token)
  expect(all.body.scope).toBe('sms:read sms:send')
})

it('gives a token that opens nothing when it is asked for one', async () => {
  const { refresh_token } = await tokensFor(ama, assistant, READING, { scope: 'openid sms:read' })
  const { body } = await assistant.refresh(refresh_token, { scope: 'openid' })
  expect(body.scope).toBe('')
  expect((await mcp(world.url, body.access_token)).status).toBe(401)
})

it.each([
  ['was asked for', { scope: 'sms:read' }],
  ['the person allowed', {}],
])('refuses more than %s at first (§6)', async (_, changes) => {
  const { refresh_token } = await tokensFor(ama, assistant, READING, changes)
  const { status, body } = await assistant.refresh(refresh_token, { scope: 'sms:read sms:send' })
  expect([status, body.error]).toEqual([400, 'invalid_scope'])
  expect((await assistant.refresh(refresh_token)).body.scope).toBe('sms:read')
})

it('takes a refresh token from its own client only, which is not the worse for it (§10.4)', async () => {
  const another = await world.assistant()
  const { refresh_token } = await tokensFor(ama, assistant)
  const stolen = await another.refresh(refresh_token)
  expect([stolen.status, stolen.body.error]).toEqual([400, 'invalid_grant'])
  expect((await assistant.refresh(refresh_token)).status).toBe(200)
})

it('takes each kind of token for what it is', async () => {
  const { access_token, refresh_token } = await tokensFor(ama, assistant)
  expect((await mcp(world.url, refresh_token)).status).toBe(401)
  expect((await assistant.refresh(access_token)).body.error).toBe('invalid_grant')
  expect((await assistant.trade(refresh_token)).body.error).toBe('invalid_grant')
})

it('refuses a refresh token that is too old, and none at all', async () => {
  const { refresh_token } = await tokensFor(ama, assistant)
  expect((await assistant.refresh(refresh_token, { refresh_token: undefined })).body.error).toBe(
    'invalid_request',
  )
  await expire(database, 'RefreshToken', refresh_token)
  const { status, body } = await assistant.refresh(refresh_token)
  expect([status, body.error]).toEqual([400, 'invalid_grant'])
})

it('refuses an access token that is too old', async () => {
  const { access_token } = await tokensFor(ama, assistant)
  await expire(database, 'AccessToken', access_token)
  const { status, headers } = await mcp(world.url, access_token)
  expect(status).toBe(401)
  expect(headers.get('www-authenticate')).toContain('error="invalid_token"')
})

it('gives no refresh token to a client that did not register for one (RFC 7591 §2)', async () => {
  const short = await world.assistant({ grant_types: ['authorization_code'] })
  const tokens = await tokensFor(ama, short)
  expect(tokens).not.toHaveProperty('refresh_token')
  const theirs = await tokensFor(ama, assistant)
  expect((await short.refresh(theirs.refresh_token)).status).toBe(400)
  expect((await assistant.refresh(theirs.refresh_token)).status).toBe(200)
})

it('ends a connection that the person ended, for the refresh token too', async () => {
  const kofi = await world.resident()
  const { access_token, refresh_token } = await tokensFor(kofi, assistant)
  const [connection] = await connections.list(kofi.accountId)
  expect(await connections.revoke(asOwner(kofi.accountId), connection?.id ?? '')).toBe(true)
  expect((await mcp(world.url, access_token)).status).toBe(401)
  expect((await assistant.refresh(refresh_token)).body.error).toBe('invalid_grant')
})

it('refuses while the account is suspended, and goes on afterwards', async () => {
  const kofi = await world.resident()
  const { access_token, refresh_token } = await tokensFor(kofi, assistant)
  await operator.setStatus(kofi.accountId, 'suspended')
  expect((await mcp(world.url, access_token)).status).toBe(401)
  expect((await assistant.refresh(refresh_token)).body.error).toBe('invalid_grant')
  await operator.setStatus(kofi.accountId, 'active')
  expect((await mcp(world.url, access_token)).status).toBe(200)
  expect((await assistant.refresh(refresh_token)).status).toBe(200)
})
