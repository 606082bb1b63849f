import { gunzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { openHarness } from '../../support/harness.ts'

it.each([
  ['/docs', 'text/html'],
  ['/docs/reference.js', 'text/javascript'],
])('sends %s as what it is, to be framed and used by no other site', async (path, type) => {
  const { app } = await openHarness()
  const { status, headers } = await app.fetch(new Request(`http://gateway.invalid${path}`))
  expect(status).toBe(200)
  expect(Object.fromEntries(headers)).toMatchObject({
    'content-type': expect.stringContaining(type),
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'same-origin',
    'x-frame-options': 'DENY',
    'cross-origin-resource-policy': 'same-origin',
  })
})

it('sends the script of /docs compressed to whoever takes it so, and the same to whoever does not', async () => {
  const { app } = await openHarness()
  const get = async (headers: Record<string, string>) => {
    const answer = await app.fetch(new Request('http://gateway.invalid/docs/reference.js', { headers }))
    const bytes = Buffer.from(await answer.arrayBuffer())
    return { bytes, encoding: answer.headers.get('content-encoding'), vary: answer.headers.get('vary') }
  }
  const plain = await get({})
  const packed = await get({ 'accept-encoding': 'gzip, deflate, br, zstd' })
  expect([plain.encoding, plain.vary]).toEqual([null, 'accept-encoding'])
  expect([packed.encoding, packed.vary]).toEqual(['gzip', 'accept-encoding'])
  expect(packed.bytes.length).toBeLessThan(plain.bytes.length / 3)
  expect(gunzipSync(packed.bytes).equals(plain.bytes)).toBe(true)
})
