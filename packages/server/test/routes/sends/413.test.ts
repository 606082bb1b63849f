import { describe, expect, it } from 'vitest'
import { openHarness } from '../../support/harness.ts'
import { stopRealTime } from '../../support/still-time.ts'
import { refuses } from '../refuses.ts'
import { exchange, head, jsonOfSize, onSocket } from '../socket.ts'
import { SENDS, type Send } from './send.ts'

function tooLarge({ operation, message, path, mostBytes }: Send): void {
  const detail = `Expected a body of at most ${mostBytes} bytes.`

  describe(`${operation}: 413`, () => {
    it(`takes a body of ${mostBytes} bytes and answers one byte more with body_too_large`, async () => {
      const harness = await openHarness()
      expect((await harness[operation](jsonOfSize(mostBytes, message))).status).toBe(200)
      const tooLarge = jsonOfSize(mostBytes + 1, message)
      await refuses(harness, () => harness[operation](tooLarge), 'body_too_large', { detail })
    })

    it('does so on a socket, whether the length was announced or not', async () => {
      // The rest of a body that is too large is read for half a second.
      stopRealTime()
      const harness = await openHarness()
      const url = await onSocket(harness)
      const request = (size: number, announced: boolean) => {
        const json = jsonOfSize(size, message)
        const init: RequestInit & { duplex: 'half' } = {
          method: 'POST',
          headers: harness.own,
          body: announced ? json : new Blob([json]).stream(),
          duplex: 'half',
        }
        return fetch(new URL(path, url), init)
      }
      for (const announced of [true, false]) {
        expect((await request(mostBytes, announced)).status).toBe(200)
        const tooLarge = () => request(mostBytes + 1, announced)
        await refuses(harness, tooLarge, 'body_too_large', { detail })
      }
    })

    it('refuses an announced size at once, before the body has arrived', async () => {
      const harness = await openHarness()
      const url = await onSocket(harness)
      const fields = { 'content-length': '9000000000', connection: 'close' }
      await refuses(harness, () => exchange(url, head(harness, path, fields)), 'body_too_large', {
        detail,
      })
    })

    it('answers headers of more than 16 KiB with body_too_large', async () => {
      const harness = await openHarness()
      const url = await onSocket(harness)
      const text = head(harness, path, { 'x-filler': 'x'.repeat(20_000) })
      await refuses(harness, () => exchange(url, text), 'body_too_large', {
        detail: 'Expected headers of at most 16 KiB.',
      })
    })
  })
}

for (const send of SENDS) tooLarge(send)
