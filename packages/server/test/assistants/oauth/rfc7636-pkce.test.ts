import { expect, it } from 'vitest'
import { type Changes, challengeOf } from './assistant.ts'
import { createPerson, wayBack } from './person.ts'
import { codeFor, READING, shareWorld } from './world.ts'

const world = await shareWorld()
const ama = await world.resident()
const assistant = await world.assistant()
const stranger = createPerson()

const VERIFIER = 'a-verifier-of-exactly-forty-three-letters-1'

it.each<[string, Changes]>([
  ['no challenge', { code_challenge: undefined, code_challenge_method: undefined }],
  ['a method without a challenge', { code_challenge: undefined }],
  ['an empty challenge', { code_challenge: '' }],
  ['the plain method', { code_challenge: VERIFIER, code_challenge_method: 'plain' }],
  ['no method, which means plain', { code_challenge: VERIFIER, code_challenge_method: undefined }],
  ['a method in small letters', { code_challenge_method: 's256' }],
  ['another method', { code_challenge_method: 'S512' }],
  ['a challenge that is too short', { code_challenge: challengeOf(VERIFIER).slice(1) }],
  ['a challenge that is too long', { code_challenge: 'c'.repeat(129) }],
  ['letters that no challenge has', { code_challenge: `${challengeOf(VERIFIER).slice(1)}+` }],
])('refuses %s before anybody is asked (§4.4.1)', async (_, changes) => {
  const said = wayBack(await stranger.visit(assistant.authorizeUrl(changes)))?.searchParams
  expect(said?.get('error')).toBe('invalid_request')
  expect(said?.get('state')).toBe('the-state')
  expect(said?.has('code')).toBe(false)
})

it('asks it of clients that have a secret as well (RFC 9700 §2.1.1)', async () => {
  const confidential = await world.assistant({ token_endpoint_auth_method: 'client_secret_post' })
  const page = await stranger.visit(
    confidential.authorizeUrl({ code_challenge: undefined, code_challenge_method: undefined }),
  )
  expect(wayBack(page)?.searchParams.get('error')).toBe('invalid_request')
  const code = await codeFor(ama, confidential)
  expect((await confidential.trade(code, { code_verifier: undefined })).body.error).toBe('invalid_grant')
  expect((await confidential.trade(code)).status).toBe(200)
})

it('trades a code for the verifier of its challenge', async () => {
  const code = await codeFor(ama, assistant, READING, { code_challenge: challengeOf(VERIFIER) })
  expect((await assistant.trade(code, { code_verifier: VERIFIER })).status).toBe(200)
})

it.each<[string, Changes, string]>([
  ['no verifier', { code_verifier: undefined }, 'invalid_grant'],
  ['an empty verifier', { code_verifier: '' }, 'invalid_grant'],
  ['another verifier', { code_verifier: VERIFIER }, 'invalid_grant'],
  ['two verifiers', { code_verifier: [VERIFIER, VERIFIER] }, 'invalid_request'],
  ['a verifier that is too short', { code_verifier: VERIFIER.slice(1) }, 'invalid_request'],
  ['a verifier that is too long', { code_verifier: 'v'.repeat(129) }, 'invalid_request'],
  ['letters that no verifier has', { code_verifier: `${VERIFIER} ` }, 'invalid_request'],
])('trades nothing for %s (§4.6)', async (_, changes, error) => {
  const code = await codeFor(ama, assistant)
  const { status, body } = await assistant.trade(code, changes)
  expect([status, body.error]).toEqual([400, error])
})

it('does not take the challenge itself for the verifier', async () => {
  const code = await codeFor(ama, assistant, READING, { code_challenge: challengeOf(VERIFIER) })
  const { body } = await assistant.trade(code, { code_verifier: challengeOf(VERIFIER) })
  expect(body.error).toBe('invalid_grant')
})
