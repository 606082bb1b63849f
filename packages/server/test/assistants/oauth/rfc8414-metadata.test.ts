import { allowInsecureRequests, discoveryRequest, processDiscoveryResponse } from 'oauth4webapi'
import { expect, it, vi } from 'vitest'
import { calledAs } from './called-as.ts'
import { openWorld, shareWorld } from './world.ts'

const world = await shareWorld()
const DOCUMENTS = ['oauth-authorization-server', 'openid-configuration']
const whole = async (url = world.url) => (await fetch(`${url}/.well-known/oauth-authorization-server`)).json()

it.each(['oauth2', 'oidc'] as const)('is found by a client that looks for %s (§3)', async (algorithm) => {
  const issuer = new URL(world.url)
  const response = await discoveryRequest(issuer, { algorithm, [allowInsecureRequests]: true })
  const server = await processDiscoveryResponse(issuer, response)
  expect(server.issuer).toBe(world.url)
  expect(server.code_challenge_methods_supported).toEqual(['S256'])
  expect(server.authorization_response_iss_parameter_supported).toBe(true)
})

it('says exactly what it does (§2)', async () => {
  expect(await whole()).toMatchObject({
    issuer: world.url,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'client_secret_post'],
    client_id_metadata_document_supported: true,
    authorization_response_iss_parameter_supported: true,
    request_uri_parameter_supported: false,
  })
  const { grant_types_supported, scopes_supported } = await whole()
  expect(grant_types_supported.sort()).toEqual([
    'authorization_code',
    'refresh_token',
    'urn:ietf:params:oauth:grant-type:token-exchange',
  ])
  expect(scopes_supported).toEqual(expect.arrayContaining(['sms:read', 'sms:send', 'offline_access']))
})

it('names addresses that all answer, of its own host', async () => {
  const named = Object.entries<string>(await whole()).filter(([name]) => /_(endpoint|uri)$/.test(name))
  expect(named.map(([name]) => name).sort()).toEqual([
    'authorization_endpoint',
    'introspection_endpoint',
    'jwks_uri',
    'registration_endpoint',
    'revocation_endpoint',
    'token_endpoint',
  ])
  for (const [name, url] of named) {
    expect(url.startsWith(`${world.url}/oauth/`), name).toBe(true)
    const isRead = ['authorization_endpoint', 'jwks_uri'].includes(name)
    const { status } = await fetch(url, { method: isRead ? 'GET' : 'POST', redirect: 'manual' })
    expect([name, status]).toEqual([name, name === 'jwks_uri' ? 200 : 400])
  }
})

it('says the same in both documents', async () => {
  const [one, two] = await Promise.all(
    DOCUMENTS.map(async (name) => (await fetch(`${world.url}/.well-known/${name}`)).json()),
  )
  expect(one).toEqual(two)
})

it('answers HEAD as it would GET, without the body', async () => {
  const said = vi.spyOn(console, 'error').mockImplementation(() => undefined)
  const paths = [...DOCUMENTS.map((name) => `/.well-known/${name}`), '/oauth/jwks', '/oauth/authorize']
  for (const path of paths) {
    const [head, get] = await Promise.all(
      ['HEAD', 'GET'].map((method) => fetch(`${world.url}${path}`, { method })),
    )
    expect(head?.status, path).toBe(get?.status)
    expect(head?.headers.get('content-type')).toBe(get?.headers.get('content-type'))
    expect(await head?.text()).toBe('')
    expect(await get?.text()).not.toBe('')
  }
  expect(said).not.toHaveBeenCalled()
  said.mockRestore()
})

it('shows what its signatures are proved with, and nothing that makes them', async () => {
  const { keys } = await (await fetch(`${world.url}/oauth/jwks`)).json()
  expect(keys).toEqual([
    {
      kty: 'EC',
      crv: 'P-256',
      alg: 'ES256',
      use: 'sig',
      kid: expect.any(String),
      x: expect.any(String),
      y: expect.any(String),
    },
  ])
})

it.each(DOCUMENTS)('lets the scripts of any page read %s', async (name) => {
  const url = `${world.url}/.well-known/${name}`
  const origin = 'https://assistant.example'
  const { headers } = await fetch(url, { headers: { origin } })
  expect([origin, '*']).toContain(headers.get('access-control-allow-origin'))
  expect(headers.get('access-control-allow-credentials')).toBeNull()
})

it('lets the scripts of any page trade their codes, without cookies', async () => {
  const { status, headers } = await fetch(`${world.url}/oauth/token`, {
    method: 'OPTIONS',
    headers: { origin: 'https://assistant.example', 'access-control-request-method': 'POST' },
  })
  expect(status).toBe(204)
  expect(headers.get('access-control-allow-origin')).toBe('https://assistant.example')
  expect(headers.get('access-control-allow-credentials')).toBeNull()
})

it.each(DOCUMENTS)('is who it is, by whatever name it was called, in %s', async (name) => {
  const said = await calledAs('evil.example', `${world.url}/.well-known/${name}`)
  expect(said).not.toContain('evil')
  expect(JSON.parse(said).issuer).toBe(world.url)
})

it('goes by its public address behind a proxy', async () => {
  const { url } = await openWorld({ config: { publicUrl: 'https://sms.example.com' } })
  const said = await whole(url)
  expect(said.issuer).toBe('https://sms.example.com')
  expect(said.token_endpoint).toBe('https://sms.example.com/oauth/token')
})

it('is not there in production until the operator says by which address', async () => {
  const production = { environment: 'production', secret: 'a secret of tests' } as const
  const without = await openWorld({ config: production })
  const paths = [...DOCUMENTS, 'oauth-protected-resource'].map((name) => `/.well-known/${name}`)
  for (const path of [...paths, '/oauth/authorize', '/oauth/jwks', '/sign-in'])
    expect((await fetch(`${without.url}${path}`)).status, path).toBe(404)
  const { url } = await openWorld({ config: { ...production, publicUrl: 'https://sms.example.com' } })
  expect((await whole(url)).issuer).toBe('https://sms.example.com')
})
