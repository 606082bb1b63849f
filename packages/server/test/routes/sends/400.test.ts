import { describe, expect, it } from 'vitest'
import { openHarness, shareHarness } from '../../support/harness.ts'
import { refuses } from '../refuses.ts'
import { SENDS, type Send } from './send.ts'

function unreadable({ operation, message }: Send): void {
  describe(`${operation}: 400`, () => {
    const refused = shareHarness()

    it.each([
      ['nothing', '', 'empty'],
      ['text that is not JSON', 'From=WIGWAG', 'not JSON'],
      ['JSON that breaks off', '{"From":"WIGWAG"', 'not JSON'],
      ['a trailing comma', '{"From":"WIGWAG",}', 'not JSON'],
      ['two documents', '{}{}', 'not JSON'],
      ['NaN', '{"From":NaN}', 'not JSON'],
      ['65 levels', `{"From":${'['.repeat(64)}${']'.repeat(64)}}`, 'more than 64 levels'],
      ['levels without an end', '[{"a":'.repeat(1_000), 'more than 64 levels'],
      ['bytes that are not UTF-8', Uint8Array.of(0x7b, 0xff, 0x7d), 'not UTF-8'],
      ['UTF-16 with a byte order mark', Uint8Array.from(Buffer.from('\ufeff{}', 'utf16le')), 'not UTF-8'],
      ['UTF-16 without one', Uint8Array.from(Buffer.from('{}', 'utf16le')), 'not JSON'],
    ])('answers %s with invalid_json', async (_, body, detail) => {
      await refuses(refused(), () => refused()[operation](body), 'invalid_json', { detail })
    })

    it('takes as many levels as it likes within a text, and 64 elsewhere', async () => {
      const { [operation]: send } = await openHarness()
      const Reference = `\\"${'[{'.repeat(20)}`
      const deep: unknown = JSON.parse('['.repeat(63) + ']'.repeat(63))
      const answer = await send({ ...message, Content: '{['.repeat(70), Reference, deep })
      expect(answer.status).toBe(200)
    })

    it.each([
      ['empty', ''],
      ['256 characters long', 'k'.repeat(256)],
      ['of two words', 'two words'],
      ['not ASCII', 'clé'],
      ['a tab inside', 'a\tb'],
      ['a delete character', '\x7f'],
    ])('answers a key that is %s with invalid_idempotency_key', async (_, key) => {
      await refuses(
        refused(),
        () => refused()[operation](message, { 'idempotency-key': key }),
        'invalid_idempotency_key',
      )
    })

    it.each(['k', 'k'.repeat(255), '!~:/"{}', '0'])('takes the key %s', async (key) => {
      const { [operation]: send } = await openHarness()
      expect((await send(message, { 'idempotency-key': key })).status).toBe(200)
    })
  })
}

for (const send of SENDS) unreadable(send)
