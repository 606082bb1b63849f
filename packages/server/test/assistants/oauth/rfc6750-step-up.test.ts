import { type OAuthClientProvider, UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js'
import { expect, it, onTestFinished } from 'vitest'
import { officialClients } from '../../../../mcp/test/fixtures/clients.ts'
import { statelessRequest } from '../../../../mcp/test/fixtures/stateless.ts'
import { REDIRECT } from './assistant.ts'
import { decide, livingConnections, mcp, READING, SENDING, shareWorld, tokensFor } from './world.ts'

const world = await shareWorld()
const { url } = world
const ama = await world.resident()
const assistant = await world.assistant()
const MESSAGE = { from: 'WIGWAG', to: '233241234567', content: 'Hello' }
const send = (token: string, name = 'send_sms') => mcp(url, token, 'tools/call', { name, arguments: MESSAGE })

const CHALLENGE = `Bearer error="insufficient_scope", scope="sms:read sms:send", resource_metadata="${url}/.well-known/oauth-protected-resource/mcp"`

it.each(['send_sms', 'schedule_sms', 'cancel_scheduled'])(
  'says to a connection that may only read by which scopes it could call %s (§3.1)',
  async (tool) => {
    const { access_token } = await tokensFor(ama, assistant, READING)
    const { status, headers, text } = await send(access_token, tool)
    expect([status, headers.get('www-authenticate')]).toEqual([403, CHALLENGE])
    expect(text).toContain('Nothing was done: this connection may only read; ask the person to connect again')
  },
)

it.each(['send_sms', 'schedule_sms', 'cancel_scheduled'])(
  'says the same to a client of 2026-07-28 that calls %s',
  async (tool) => {
    const { access_token } = await tokensFor(ama, assistant, READING)
    const { headers, body } = statelessRequest('tools/call', { name: tool, arguments: MESSAGE })
    const response = await fetch(`${url}/mcp`, {
      method: 'POST',
      headers: { ...headers, authorization: `Bearer ${access_token}` },
      body: JSON.stringify(body),
    })
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([403, CHALLENGE])
    expect(await response.text()).toContain(
      'Nothing was done: this connection may only read; ask the person to connect again',
    )
  },
)

it.each(Object.entries(officialClients))(
  'ends a call of the official client, %s, that may only read',
  async (_, connect) => {
    const { access_token } = await tokensFor(ama, assistant, READING)
    const { names, call } = await connect({ url: `${url}/mcp`, token: access_token })
    expect(await names()).toHaveLength(7)
    expect(await call('get_balance')).toMatchObject({ isError: false })
    await expect(call('send_sms', MESSAGE)).rejects.toThrow(/scope|may only read/i)
  },
)

it('says so to a token of less than its connection as well', async () => {
  const { access_token } = await tokensFor(ama, assistant, READING, { scope: 'sms:read' })
  expect((await send(access_token)).status).toBe(403)
})

it('leaves everything else to the protocol', async () => {
  const { access_token } = await tokensFor(ama, assistant, READING)
  for (const [method, params] of [
    ['tools/call', { name: 'get_balance', arguments: {} }],
    ['tools/call', { name: 'no_such_tool', arguments: {} }],
    ['tools/call', { name: 5 }],
    ['tools/list', {}],
  ] as const)
    expect((await mcp(url, access_token, method, params)).status).toBe(200)
  const sending = await tokensFor(ama, assistant, SENDING)
  expect((await send(sending.access_token)).status).toBe(200)
})

it('is counted in the audit, as every write that is refused', async () => {
  const kofi = await world.resident()
  const { access_token } = await tokensFor(kofi, assistant, READING)
  await send(access_token)
  const rows = () =>
    world.gateway.database.read(({ run }) =>
      run<{ action: string; detail: string }>(
        'SELECT action, detail FROM audit_failures WHERE account_id = $1',
        [kofi.accountId],
      ),
    )
  await expect.poll(async () => (await rows()).map(({ action }) => action)).toContain('mcp send_sms')
  const row = (await rows()).find(({ action }) => action === 'mcp send_sms')
  expect(JSON.parse(row?.detail ?? '{}')).toMatchObject({ outcome: 'refused' })
})

it('makes the protocol’s official client ask the person for more, and send then', async () => {
  const kofi = await world.resident()
  const { client_name, redirect_uris } = { client_name: 'Official client', redirect_uris: [REDIRECT] }
  const once = await world.assistant({ grant_types: ['authorization_code'] })
  let asked: URL | undefined
  let verifier = ''
  let tokens: OAuthTokens = await tokensFor(kofi, once, READING)
  const authProvider: OAuthClientProvider = {
    redirectUrl: REDIRECT,
    clientMetadata: { client_name, redirect_uris },
    clientInformation: () => ({ client_id: once.clientId }),
    tokens: () => tokens,
    saveTokens(given) {
      tokens = given
    },
    codeVerifier: () => verifier,
    saveCodeVerifier(given) {
      verifier = given
    },
    redirectToAuthorization(to) {
      asked = to
    },
  }
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { authProvider })
  const client = new Client({ name: 'official', version: '1.0.0' })
  await client.connect(transport as Parameters<Client['connect']>[0])
  onTestFinished(() => client.close())
  const call = () => client.callTool({ name: 'send_sms', arguments: MESSAGE })

  await expect(call()).rejects.toThrow(UnauthorizedError)
  expect(asked?.searchParams.get('scope')).toBe('sms:read sms:send')
  const left = await decide(kofi.person, await kofi.person.visit(asked?.href ?? ''), SENDING)
  await transport.finishAuth(new URL(left).searchParams.get('code') ?? '')
  expect(await call()).not.toMatchObject({ isError: true })
  expect(await livingConnections(world, kofi)).toBe(2)
})

it('answers a program with credentials of the API by a tool error: it has no person to ask', async () => {
  const { clientId, clientSecret, walletToken } = ama
  const response = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json',
      authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`,
      'x-wallet': `Token ${walletToken}`,
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'send_sms', arguments: MESSAGE },
    }),
  })
  expect(response.status).toBe(200)
  expect(await response.json()).toMatchObject({ result: { isError: true } })
})
