import {
  discoverAuthorizationServerMetadata,
  discoverOAuthProtectedResourceMetadata,
  extractWWWAuthenticateParams,
} from '@modelcontextprotocol/sdk/client/auth.js'
import {
  allowInsecureRequests,
  processResourceDiscoveryResponse,
  resourceDiscoveryRequest,
} from 'oauth4webapi'
import { expect, it } from 'vitest'
import { calledAs } from './called-as.ts'
import { mcp, shareWorld, tokensFor } from './world.ts'

const world = await shareWorld()
const tools = `${world.url}/mcp`
const DOCUMENTS = ['/.well-known/oauth-protected-resource/mcp', '/.well-known/oauth-protected-resource']

const knock = (headers: Record<string, string> = {}) =>
  fetch(tools, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
  })

it.each(DOCUMENTS)('describes the tools at %s (§3)', async (path) => {
  const response = await fetch(`${world.url}${path}`)
  expect(response.headers.get('content-type')).toContain('application/json')
  expect(response.headers.get('access-control-allow-origin')).toBe('*')
  expect(await response.json()).toEqual({
    resource: tools,
    authorization_servers: [world.url],
    scopes_supported: ['sms:read', 'sms:send'],
    bearer_methods_supported: ['header'],
    resource_name: expect.any(String),
  })
})

it.each(DOCUMENTS)('describes itself, by whatever name it was called, at %s (§7.3)', async (path) => {
  const said = await calledAs('evil.example', `${world.url}${path}`)
  expect(said).not.toContain('evil')
  expect(JSON.parse(said)).toMatchObject({ resource: tools, authorization_servers: [world.url] })
})

it('is found by clients that look for it where the standard says', async () => {
  const resource = new URL(tools)
  const response = await resourceDiscoveryRequest(resource, { [allowInsecureRequests]: true })
  expect((await processResourceDiscoveryResponse(resource, response)).authorization_servers).toEqual([
    world.url,
  ])
})

it('leads the protocol’s own client from a refusal to the server that gives tokens (§5)', async () => {
  const refused = await knock()
  expect(refused.status).toBe(401)
  const { resourceMetadataUrl, scope, error } = extractWWWAuthenticateParams(refused)
  expect({ scope, error }).toEqual({ scope: 'sms:read sms:send', error: undefined })
  expect(resourceMetadataUrl?.href).toBe(`${world.url}${DOCUMENTS[0]}`)
  const described = await discoverOAuthProtectedResourceMetadata(tools, {
    resourceMetadataUrl: resourceMetadataUrl ?? '',
  })
  expect(described.resource).toBe(tools)
  const [issuer = ''] = described.authorization_servers ?? []
  const server = await discoverAuthorizationServerMetadata(issuer)
  expect(server).toMatchObject({ issuer: world.url, token_endpoint: `${world.url}/oauth/token` })
})

it.each([
  ['a token that nobody gave', 'Bearer nobody-gave-this'],
  ['a token that can not be one', 'Bearer {}'],
  ['an empty token', 'Bearer '],
  ['a very long token', `Bearer ${'x'.repeat(8_000)}`],
])('says 401 to %s, and where to get one (§5.1, RFC 6750 §3)', async (_, authorization) => {
  const refused = await knock({ authorization })
  expect(refused.status).toBe(401)
  const { resourceMetadataUrl } = extractWWWAuthenticateParams(refused)
  expect(resourceMetadataUrl?.href).toBe(`${world.url}${DOCUMENTS[0]}`)
  expect(await refused.text()).not.toContain('nobody-gave-this')
})

it('says what is wrong with a token, and nothing when there was none (RFC 6750 §3.1)', async () => {
  const wrong = await knock({ authorization: 'Bearer nobody-gave-this' })
  expect(wrong.headers.get('www-authenticate')).toContain('error="invalid_token"')
  expect((await knock()).headers.get('www-authenticate')).not.toContain('error=')
})

it('takes a token from the header only, not from the address nor a form (RFC 6750 §2)', async () => {
  const { access_token } = await tokensFor(await world.resident(), await world.assistant())
  expect((await mcp(world.url, access_token)).status).toBe(200)
  const asked = { method: 'POST', headers: { accept: 'application/json' } }
  const inAddress = await fetch(`${tools}?access_token=${access_token}`, {
    ...asked,
    headers: { ...asked.headers, 'content-type': 'application/json' },
    body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
  })
  expect(inAddress.status).toBe(401)
  const inForm = await fetch(tools, { ...asked, body: new URLSearchParams({ access_token }) })
  expect(inForm.status).toBe(415)
})

it.each(['GET', 'DELETE'])('has no stream and no session to %s at the tools', async (method) => {
  expect((await fetch(tools, { method })).status).toBe(405)
})
