import { describe, expect, it } from 'vitest'
import { openHarness } from '../../support/harness.ts'
import { refuses } from '../refuses.ts'
import { exchange, onSocket } from '../socket.ts'

const headers = { connection: 'close' }

describe('the platform: 400', () => {
  it.each([
    ['noise', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
    ['no version', 'GET /\r\n\r\n'],
    ['a method of nobody', 'SEND / HTTP/1.1\r\nhost: a\r\n\r\n'],
    ['a space in a header name', 'GET /nothing HTTP/1.1\r\nhost: a\r\nx y: z\r\n\r\n'],
    [
      'two lengths',
      'POST /v1/messages/sms HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n{}',
    ],
    ['a negative length', 'POST /v1/messages/sms HTTP/1.1\r\nhost: a\r\ncontent-length: -1\r\n\r\n{}'],
    [
      'a length and chunks',
      'POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n{}',
    ],
    ['no Host', 'GET /v1/account/balance HTTP/1.1\r\nconnection: close\r\n\r\n'],
    ['HTTP/1.0 without Host', 'GET /v1/account/balance HTTP/1.0\r\n\r\n'],
    ['an impossible Host', 'GET /nothing HTTP/1.1\r\nhost: a b\r\nconnection: close\r\n\r\n'],
    ['another scheme', 'GET ftp://a/ HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n'],
    ['a star for a path', 'OPTIONS * HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n'],
  ])('answers %s with a problem, and ends the connection', async (_, text) => {
    const harness = await openHarness()
    const url = await onSocket(harness)
    await refuses(harness, () => exchange(url, text), 'invalid_json', { headers })
  })

  it('does not mind an expectation that nobody knows', async () => {
    const harness = await openHarness()
    const url = await onSocket(harness)
    const text = 'GET /nothing HTTP/1.1\r\nhost: a\r\nexpect: wonders\r\nconnection: close\r\n\r\n'
    await refuses(harness, () => exchange(url, text), 'route_not_found')
  })

  it('goes on serving others', async () => {
    const harness = await openHarness()
    const url = await onSocket(harness)
    await exchange(url, 'noise\r\n\r\n')
    expect((await fetch(new URL('/v1/account/balance', url), { headers: harness.own })).status).toBe(200)
  })
})
