import { discoverOAuthProtectedResourceMetadata } from '@modelcontextprotocol/sdk/client/auth.js'
import { describe, expect, it } from 'vitest'
import { consent, mcp, openWorld } from './world.ts'

describe('a gateway that runs on this machine', () => {
  it('is found by the name that a person writes, whatever name it calls itself by', async () => {
    const { url, ...world } = await openWorld()
    const local = url.replace('127.0.0.1', 'localhost')
    expect(local).not.toBe(url)
    const { resource, authorization_servers } = await discoverOAuthProtectedResourceMetadata(`${local}/mcp`)
    expect({ resource, authorization_servers }).toEqual({
      resource: `${local}/mcp`,
      authorization_servers: [url],
    })

    const assistant = await world.assistant()
    const came = await consent(await world.resident(), assistant, undefined, { resource })
    const { body } = await assistant.trade(came.get('code') ?? '', { resource })
    expect((await mcp(local, body.access_token)).status).toBe(200)
    expect((await mcp(url, body.access_token)).status).toBe(401)
  })

  it('is not found by a name that is not its own', async () => {
    const { url } = await openWorld()
    const response = await fetch(`${url}/.well-known/oauth-protected-resource/mcp`, {
      headers: { 'x-forwarded-host': 'evil.example' },
    })
    expect(await response.json()).toMatchObject({ resource: `${url}/mcp` })
  })
})
