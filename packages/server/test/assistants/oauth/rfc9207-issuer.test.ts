import {
  type AuthorizationServer,
  allowInsecureRequests,
  authorizationCodeGrantRequest,
  discoveryRequest,
  generateRandomCodeVerifier,
  None,
  processAuthorizationCodeResponse,
  processDiscoveryResponse,
  validateApplicationLevelSignature,
  validateAuthResponse,
} from 'oauth4webapi'
import { expect, it } from 'vitest'
import { challengeOf, REDIRECT } from './assistant.ts'
import { createPerson, wayBack } from './person.ts'
import { consent, DENYING, READING, shareWorld } from './world.ts'

const world = await shareWorld()
const another = await shareWorld()
const ama = await world.resident()
const assistant = await world.assistant()
const client = { client_id: assistant.clientId }
const insecure = { [allowInsecureRequests]: true }

async function serverAt(url: string): Promise<AuthorizationServer> {
  const issuer = new URL(url)
  return processDiscoveryResponse(
    issuer,
    await discoveryRequest(issuer, { ...insecure, algorithm: 'oauth2' }),
  )
}

it('says who it is with a code, and with a refusal (§2)', async () => {
  const server = await serverAt(world.url)
  const allowed = await consent(ama, assistant)
  expect(allowed.getAll('iss')).toEqual([world.url])
  expect(() => validateAuthResponse(server, client, allowed, 'the-state')).not.toThrow()

  const denied = await consent(ama, assistant, DENYING)
  expect(denied.getAll('iss')).toEqual([world.url])
  expect(() => validateAuthResponse(server, client, denied, 'the-state')).toThrow(
    /access_denied|authorization/i,
  )
})

it.each([{ resource: 'https://elsewhere.example' }, { code_challenge: 'short' }, { prompt: 'none' }])(
  'says who it is when it refuses by itself: %o',
  async (changes) => {
    const said = wayBack(await createPerson().visit(assistant.authorizeUrl(changes)))?.searchParams
    expect(said?.has('error')).toBe(true)
    expect(said?.getAll('iss')).toEqual([world.url])
  },
)

it('lets a client see that an answer is not from where it asked (§2.4)', async () => {
  const came = await consent(ama, assistant)
  const other = await serverAt(another.url)
  expect(() => validateAuthResponse(other, client, came, 'the-state')).toThrow(/iss/)
  const without = new URLSearchParams([...came].filter(([name]) => name !== 'iss'))
  const server = await serverAt(world.url)
  expect(() => validateAuthResponse(server, client, without, 'the-state')).toThrow(/iss/)
})

it('gives nothing for the code of another server (RFC 9700 §4.4)', async () => {
  const code = (await consent(ama, assistant)).get('code') ?? ''
  const there = await another.assistant()
  const { status, body } = await there.trade(code)
  expect([status, body.error]).toEqual([400, 'invalid_grant'])
  expect((await assistant.at(another.url).trade(code)).body.error).toBe('invalid_client')
  expect((await assistant.trade(code)).status).toBe(200)
})

it('signs who somebody is for a client that asks, by the keys that it shows', async () => {
  const server = await serverAt(world.url)
  const verifier = generateRandomCodeVerifier()
  const came = await consent(ama, assistant, READING, {
    scope: 'openid sms:read',
    nonce: 'the-nonce',
    code_challenge: challengeOf(verifier),
  })
  const answer = validateAuthResponse(server, client, came, 'the-state')
  const response = await authorizationCodeGrantRequest(
    server,
    { ...client, id_token_signed_response_alg: 'ES256' },
    None(),
    answer,
    REDIRECT,
    verifier,
    insecure,
  )
  const signed = { ...client, id_token_signed_response_alg: 'ES256' }
  const said = await processAuthorizationCodeResponse(server, signed, response, {
    expectedNonce: 'the-nonce',
  })
  await expect(validateApplicationLevelSignature(server, response, insecure)).resolves.toBeUndefined()
  expect(said.id_token).toBeDefined()
  expect(said.scope).toContain('sms:read')
})
