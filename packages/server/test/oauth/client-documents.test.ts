import { expect, it } from 'vitest'
import type { Outbound } from '../../src/gateway/ports.ts'
import { assistantOf, REDIRECT } from './assistant.ts'
import { openWorld } from './world.ts'

/** A network on which one assistant has a document of itself, at whatever address is asked for. */
function documentOf(metadata: object): Outbound {
  return async ({ url }) => {
    const document = {
      client_id: url,
      client_name: 'Test assistant',
      redirect_uris: [REDIRECT],
      grant_types: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_method: 'none',
      ...metadata,
    }
    const body = Buffer.from(JSON.stringify(document))
    return { kind: 'reply', status: 200, headers: {}, body, truncated: false, latencyMs: 1 }
  }
}

const ADDRESSES = ['https://assistant.example/client.json', 'HTTPS://assistant.example/client.json']

it.each(ADDRESSES)('shows whose document it is at %s', async (clientId) => {
  const world = await openWorld({ outbound: documentOf({ client_id: clientId }) })
  const { person } = await world.resident()
  const assistant = assistantOf(world.url, { clientId, clientSecret: undefined, redirectUri: REDIRECT })
  const page = await person.visit(assistant.authorizeUrl())
  expect(page.status).toBe(200)
  expect(page.text).toContain('assistant.example')
})

it.each(ADDRESSES)('holds the document at %s to the rules of a registration', async (clientId) => {
  const redirectUri = 'https://bank.example@assistant.example/callback'
  const world = await openWorld({
    outbound: documentOf({ client_id: clientId, redirect_uris: [redirectUri] }),
  })
  const assistant = assistantOf(world.url, { clientId, clientSecret: undefined, redirectUri })
  const { person } = await world.resident()
  const { status, left } = await person.visit(assistant.authorizeUrl())
  expect({ status, left }).toEqual({ status: 400, left: undefined })
})
