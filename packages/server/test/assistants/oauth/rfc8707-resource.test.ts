import { expect, it } from 'vitest'
import type { Changes } from './assistant.ts'
import { createPerson, wayBack } from './person.ts'
import { addStandalone } from './standalone.ts'
import { codeFor, consent, mcp, READING, shareWorld, tokensFor } from './world.ts'

const world = await shareWorld()
const ama = await world.resident()
const assistant = await world.assistant()
const stranger = createPerson()
const TOOLS = `${world.url}/mcp`
const APART = 'http://127.0.0.1:9/mcp'
const standalone = await addStandalone(world, APART)

it.each<[string, Changes]>([
  ['an address that nobody serves', { resource: 'https://elsewhere.example/mcp' }],
  ['the address of the gateway itself', { resource: world.url }],
  ['the address of the tools with a slash more', { resource: `${TOOLS}/` }],
  ['the address of the tools with a query', { resource: `${TOOLS}?a=b` }],
  ['the address of the tools with a part of it', { resource: `${TOOLS}#here` }],
  ['a path', { resource: '/mcp' }],
  ['two addresses', { resource: [TOOLS, APART] }],
  ['the same address twice', { resource: [TOOLS, TOOLS] }],
])('refuses %s before anybody is asked (§2.1)', async (_, changes) => {
  const page = await stranger.visit(assistant.authorizeUrl(changes))
  expect(Object.fromEntries(wayBack(page)?.searchParams ?? [])).toMatchObject({
    error: 'invalid_target',
    state: 'the-state',
    iss: world.url,
  })
})

it('takes none for the tools of the gateway', async () => {
  const came = await consent(ama, assistant, READING, { resource: undefined })
  const { body } = await assistant.trade(came.get('code') ?? '', { resource: undefined })
  expect((await mcp(world.url, body.access_token)).status).toBe(200)
  const again = await assistant.refresh(body.refresh_token, { resource: undefined })
  expect((await mcp(world.url, again.body.access_token)).status).toBe(200)
})

it.each<[string, Changes]>([
  ['another address that is served', { resource: APART }],
  ['an address that nobody serves', { resource: 'https://elsewhere.example/mcp' }],
  ['two addresses', { resource: [TOOLS, APART] }],
  ['a path', { resource: '/mcp' }],
])('trades neither a code nor a refresh token for %s (§2.2)', async (_, changes) => {
  const traded = await assistant.trade(await codeFor(ama, assistant), changes)
  expect([traded.status, traded.body.error]).toEqual([400, 'invalid_target'])
  const { refresh_token } = await tokensFor(ama, assistant)
  const refreshed = await assistant.refresh(refresh_token, changes)
  expect([refreshed.status, refreshed.body.error]).toEqual([400, 'invalid_target'])
})

it.each<[string, Changes]>([
  ['another address', { resource: 'https://other.example/mcp' }],
  ['the same with a slash', { resource: `${world.url}/mcp/` }],
  ['two addresses', { resource: [`${world.url}/mcp`, 'https://other.example/mcp'] }],
])('leaves the refresh token as it was after a refresh for %s', async (_, changes) => {
  const { refresh_token } = await tokensFor(ama, assistant)
  expect((await assistant.refresh(refresh_token, changes)).body.error).toBe('invalid_target')
  expect((await assistant.refresh(refresh_token)).status).toBe(200)
})

it('holds a token to the address that it was made for', async () => {
  const { access_token } = await tokensFor(ama, assistant, READING, { resource: APART })
  const { status, headers } = await mcp(world.url, access_token)
  expect(status).toBe(401)
  expect(headers.get('www-authenticate')).toContain('error="invalid_token"')
  expect((await standalone.introspect(access_token)).body).toMatchObject({ active: true, aud: APART })
})

it('shows a connector nothing of the tokens that are made for another', async () => {
  const { access_token } = await tokensFor(ama, assistant)
  expect((await standalone.introspect(access_token)).body).toEqual({ active: false })
  const { status, body } = await standalone.exchange(access_token)
  expect(status).toBe(400)
  expect(body).not.toHaveProperty('access_token')
})

it('makes no more tokens for a connector that was removed', async () => {
  const resource = 'http://127.0.0.1:9/gone'
  const gone = await addStandalone(world, resource)
  const { refresh_token } = await tokensFor(ama, assistant, READING, { resource })
  await world.gateway.standalone.remove(gone.id)
  expect((await assistant.refresh(refresh_token, { resource })).body.error).toBe('invalid_target')
  const page = await stranger.visit(assistant.authorizeUrl({ resource }))
  expect(wayBack(page)?.searchParams.get('error')).toBe('invalid_target')
})
