import { expect, it } from 'vitest'
import { FetchPlaces } from '../../../src/assistants/oauth/clients.ts'
import { post } from './assistant.ts'
import { createDocuments } from './documents.ts'
import { openWorld } from './world.ts'

it('lets a slow site, whatever its hosts are called, and one who asks for much hold few connections', async () => {
  const documents = createDocuments()
  const { promise: stopped, resolve: stop } = Promise.withResolvers<void>()
  const { url } = await openWorld({
    async outbound(request) {
      const answer = await documents.outbound(request)
      if (request.url.includes('slow')) await stopped
      return answer
    },
  })
  let refused = 0
  async function ask(clientId: string, from: string) {
    const form = { client_id: clientId, grant_type: 'refresh_token', refresh_token: 'x' }
    const answer = await post(`${url}/oauth/token`, form, { 'x-forwarded-for': from })
    if (answer.status === 429) refused += 1
    return answer
  }
  const slow = Promise.all([
    ...Array.from({ length: 20 }, (_, n) => ask(`https://h${n}.slow.example/c`, `192.0.2.${n}`)),
    ...Array.from({ length: 20 }, (_, n) => ask(`https://slow-${n}.example/c`, '198.51.100.1')),
  ])
  await expect.poll(() => [documents.asked.length, refused]).toEqual([12, 28])
  expect((await ask('https://quick.example/c', '203.0.113.1')).body.error).toBe('invalid_client')
  expect(documents.asked).toHaveLength(13)
  const late = await ask('https://quick.example/d', '198.51.100.1')
  expect([late.status, late.headers.get('retry-after')]).toEqual([429, '5'])
  stop()
  await slow
  expect((await ask('https://quick.example/e', '198.51.100.1')).body.error).toBe('invalid_client')
})

it('counts an address of IPv6 by its wide network, and gives each place back', () => {
  const places = new FetchPlaces()
  const begin = (n: number) => places.take(`2001:db8:1:${n}::1`, `https://site-${n}.example/c`)
  const ends = [1, 2, 3, 4].map(begin)
  expect(ends.every(Boolean)).toBe(true)
  expect(begin(5)).toBeUndefined()
  for (const end of ends) end?.()
  expect([1, 2, 3, 4].map(begin).every(Boolean)).toBe(true)
})

it('knows a site by an address as well', () => {
  const places = new FetchPlaces()
  const begin = (n: number) => places.take(`192.0.2.${n}`, `https://[2001:db8::1]:${n + 443}/c`)
  expect(Array.from({ length: 9 }, (_, n) => begin(n)).filter(Boolean)).toHaveLength(8)
  expect(places.take('192.0.2.100', 'https://203.0.113.1/c')).toBeDefined()
})
