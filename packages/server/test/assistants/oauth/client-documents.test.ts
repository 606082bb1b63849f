import { expect, it } from 'vitest'
import { ClientDocuments } from '../../../src/assistants/oauth/clients.ts'
import { answering } from '../../../src/assistants/oauth/library.ts'
import { systemClock } from '../../../src/kernel/process/clock.ts'
import type { Outbound } from '../../../src/net/outbound/port.ts'
import { startRawReceiver, startReceiver } from '../../platform/outbound/receiver.ts'
import { eventually } from '../../support/eventually.ts'
import { call, SINGLE, single } from '../../support/front.ts'
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
    const headers = { 'content-type': 'application/json' }
    return { kind: 'reply', status: 200, headers, body, truncated: false, latencyMs: 1 }
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

it('posts callbacks to a host while whoever wants to has documents fetched from it that never come', async () => {
  const world = await openWorld()
  let called = 0
  const silent = await startRawReceiver((socket) => {
    if (called > 0) socket.destroy()
  })
  const receiver = await startReceiver((request, reply) => {
    called += 1
    request.resume().on('end', () => reply.end())
  })
  const asking = Array.from({ length: 40 }, (_, n) => {
    const clientId = `https://127.0.0.1:${silent.port}/${n}`
    const { authorizeUrl } = assistantOf(world.url, {
      clientId,
      clientSecret: undefined,
      redirectUri: REDIRECT,
    })
    return fetch(authorizeUrl())
  })
  let over = 0
  for (const each of asking) void each.catch(() => undefined).finally(() => over++)
  await eventually('documents are asked for', async () => silent.sockets.length > 0)
  const ama = await world.resident()
  await call(world.url, ama, { path: SINGLE, body: { ...single(), CallbackUrl: receiver.url } })
  await eventually('the callback is posted', async () => called > 0)
  // Most are refused at once; those that wait for their document still do.
  expect(over).toBeLessThan(asking.length)
  for (const socket of silent.sockets) socket.destroy()
  await Promise.allSettled(asking)
})

it('keeps the results of 500 fetches and no more, and drops the oldest first', async () => {
  const asked: string[] = []
  const documents = new ClientDocuments({
    clock: systemClock,
    async outbound({ url }) {
      asked.push(url)
      return { kind: 'failure', stage: 'before', failure: 'dns_failed', detail: '', latencyMs: 1 }
    },
  })
  async function ask(n: number): Promise<void> {
    const url = `https://site-${n}.example/c`
    await answering(`192.0.2.${n % 200}`, () => documents.prepare(undefined, url))
    await expect(documents.read(url)).rejects.toThrow('dns_failed')
  }
  for (let n = 0; n <= 500; n++) await ask(n)
  await ask(500)
  await ask(1)
  expect(asked).toHaveLength(501)
  await ask(0)
  expect(asked).toHaveLength(502)
})

it('fetches nothing for the library but documents that were asked for by name', async () => {
  const documents = new ClientDocuments({ clock: systemClock, outbound: documentOf({}) })
  await expect(documents.read('https://assistant.example/keys.json')).rejects.toThrow('prepared')
})
