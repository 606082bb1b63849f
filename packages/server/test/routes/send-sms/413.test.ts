import { describe, expect, it } from 'vitest'
import { MESSAGE, openHarness } from '../../harness.ts'
import { refuses } from '../refuses.ts'
import { exchange, head, jsonOfSize, onSocket } from '../socket.ts'

const MOST_BYTES = 65_536
const DETAIL = `Expected a body of at most ${MOST_BYTES} bytes.`

describe('sendSms: 413', () => {
  it('takes a body of 64 KiB and answers one byte more with body_too_large', async () => {
    const harness = await openHarness()
    expect((await harness.sendSms(jsonOfSize(MOST_BYTES, MESSAGE))).status).toBe(200)
    const tooLarge = jsonOfSize(MOST_BYTES + 1, MESSAGE)
    await refuses(harness, () => harness.sendSms(tooLarge), 'body_too_large', { detail: DETAIL })
  })

  it('does so on a socket, whether the length was announced or not', async () => {
    const harness = await openHarness()
    const url = await onSocket(harness)
    const request = (size: number, announced: boolean) => {
      const json = jsonOfSize(size, MESSAGE)
      const init: RequestInit & { duplex: 'half' } = {
        method: 'POST',
        headers: harness.own,
        body: announced ? json : new Blob([json]).stream(),
        duplex: 'half',
      }
      return fetch(new URL('/v1/messages/sms', url), init)
    }
    for (const announced of [true, false]) {
      expect((await request(MOST_BYTES, announced)).status).toBe(200)
      const tooLarge = () => request(MOST_BYTES + 1, announced)
      await refuses(harness, tooLarge, 'body_too_large', { detail: DETAIL })
    }
  })

  it('refuses an announced size at once, before the body has arrived', async () => {
    const harness = await openHarness()
    const url = await onSocket(harness)
    const fields = { 'content-length': '9000000000', connection: 'close' }
    await refuses(harness, () => exchange(url, head(harness, '/v1/messages/sms', fields)), 'body_too_large', {
      detail: DETAIL,
    })
  })

  it('answers headers of more than 16 KiB with body_too_large', async () => {
    const harness = await openHarness()
    const url = await onSocket(harness)
    const text = head(harness, '/v1/messages/sms', { 'x-filler': 'x'.repeat(20_000) })
    await refuses(harness, () => exchange(url, text), 'body_too_large', {
      detail: 'Expected headers of at most 16 KiB.',
    })
  })
})
