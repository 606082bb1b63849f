import { describe, expect, it } from 'vitest'
import { openHarness, shareHarness } from '../../support/harness.ts'
import { refuses } from '../refuses.ts'
import { SENDS, type Send } from './send.ts'

function wrongType({ operation, message }: Send): void {
  describe(`${operation}: 415`, () => {
    const refused = shareHarness()

    it.each([
      [undefined, 'got none'],
      ['', 'got none'],
      ['text/plain', 'got text/plain'],
      ['application/x-www-form-urlencoded', 'got application/x-www-form-urlencoded'],
      ['application/json5', 'got application/json5'],
      ['application/problem+json', 'got application/problem+json'],
      ['text/plain; application/json', 'got text/plain; application/json'],
    ])('answers the content type %s with unsupported_media_type', async (type, detail) => {
      const body = new TextEncoder().encode(JSON.stringify(message))
      const request = () => refused()[operation](body, { 'content-type': type })
      await refuses(refused(), request, 'unsupported_media_type', { detail })
    })

    it.each(['application/json', 'application/json; charset=utf-8', 'Application/JSON ;charset=UTF-8'])(
      'takes the content type %s',
      async (type) => {
        const { [operation]: send } = await openHarness()
        expect((await send(message, { 'content-type': type })).status).toBe(200)
      },
    )
  })
}

for (const send of SENDS) wrongType(send)
