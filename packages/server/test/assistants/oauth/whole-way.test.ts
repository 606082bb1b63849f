import { expect, it } from 'vitest'
import { mcp, openWorld, tokensFor } from './world.ts'

it('lets an assistant in, which then calls a tool', async () => {
  const world = await openWorld()
  const ama = await world.resident()
  const assistant = await world.assistant()
  const tokens = await tokensFor(ama, assistant)
  expect(tokens).toMatchObject({ token_type: 'Bearer', expires_in: 900, scope: 'sms:read sms:send' })
  const listed = await mcp(world.url, tokens.access_token)
  expect(listed.status, listed.text).toBe(200)
  expect(listed.text).toContain('send_sms')
  const balance = await mcp(world.url, tokens.access_token, 'tools/call', {
    name: 'get_balance',
    arguments: {},
  })
  expect(balance.text).toContain('100')
})
