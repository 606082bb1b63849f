import { join } from 'node:path'
import { systemClock } from '@wigwag/contract'
import { expect, it } from 'vitest'
import { createAssistant } from '../../server/test/assistants/oauth/assistant.ts'
import { decide, READING, SENDING, shareWorld, tokensFor } from '../../server/test/assistants/oauth/world.ts'
import { TO } from './plain-server.ts'
import { idsOf, tryServer } from './tried.ts'

const world = await shareWorld({ config: { rateLimit: { perSecond: 500, burst: 1_000 } } })
const ama = await world.resident('ama')
const postman = join(import.meta.dirname, '../../../examples/postman/wigwag.postman_collection.json')

it('passes every must and every may on a gateway', async () => {
  const { access_token: mcpToken } = await tokensFor(ama, await createAssistant(world.url))
  const { outcomes, messages } = await tryServer(world.url, {
    clock: systemClock,
    credentials: ama,
    callbackSecret: ama.callbackSecret,
    mcpToken,
    postman,
    to: TO,
  })
  expect(outcomes.filter(({ state }) => state !== 'passed')).toEqual([])
  expect(messages).toBe(7)
})

it('lets a person sign in for the tools', async () => {
  let acted: Promise<unknown> | undefined
  const invite = (address: string) => {
    acted = ama.person
      .visit(address)
      .then((page) => decide(ama.person, page, SENDING))
      .then(fetch)
  }
  const { outcomes } = await tryServer(world.url, {
    clock: systemClock,
    credentials: ama,
    invite,
    spend: 0,
  })
  await acted
  expect(outcomes.filter(({ id, state }) => id.startsWith('mcp.') && state !== 'passed')).toEqual([])
})

it('does not count the tools that write as passed when the connection may only read', async () => {
  const { access_token: mcpToken } = await tokensFor(ama, await createAssistant(world.url), READING)
  const { outcomes } = await tryServer(world.url, {
    clock: systemClock,
    credentials: ama,
    mcpToken,
    spend: 0,
  })
  expect(outcomes.find(({ id }) => id === 'mcp.write-tools')).toMatchObject({
    state: 'not tried',
    came: 'none is shown; the connection may be one that may only read',
  })
  expect(idsOf(outcomes, 'must', 'failed')).toEqual([])
})
