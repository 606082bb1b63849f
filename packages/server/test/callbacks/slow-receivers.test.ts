import { describe, expect, it } from 'vitest'
import { pageOf, sendWithCallback } from '../isolation/callbacks.ts'
import { headersOf, newAccount } from '../isolation/world.ts'
import { aPlace, openBench } from '../support/bench.ts'
import { BULK } from '../support/harness.ts'

const MANY = 300
/** The places of an account while nobody else has any. */
const SHARE = 256

describe.each(['SQLite in memory', 'PostgreSQL'] as const)(
  'a receiver that does not answer for long on %s',
  (engine) => {
    it('has the places of its account, and none of the others; nothing is posted to it twice', async () => {
      const { promise: answered, resolve: answer } = Promise.withResolvers<void>()
      const bench = await openBench({
        database: await aPlace(engine),
        async answer({ url }) {
          if (url.includes('slow')) await answered
          return new Response('', { status: 200 })
        },
      })
      /** Time goes by without waiting for what hangs. */
      const until = (what: string, isSo: () => boolean | Promise<boolean>) => bench.passUntil(what, isSo, 100)
      const postsTo = (host: string) => bench.posted.filter(({ url }) => url.includes(host)).length
      // Many names that may lead to one receiver are one account's all the same.
      for (const [name, count] of [
        ['slow-a', MANY / 2],
        ['slow-b', MANY / 2],
      ] as const) {
        const Recipients = Array.from({ length: count }, (_, index) => ({ To: `23324${1_000_100 + index}` }))
        const body = { ...BULK, CallbackUrl: `https://${name}.example/sms`, Recipients }
        expect((await bench.call('POST', '/v1/messages/sms/bulk/otm', {}, body)).status).toBe(200)
      }
      await until('its places are taken', () => postsTo('slow') === SHARE)
      const other = headersOf(await newAccount(bench, 'other'))
      await sendWithCallback(bench, { CallbackUrl: 'https://quick.example/sms' }, other)
      await until("the other's is delivered", async () => {
        const { Items } = await pageOf(bench, { State: 'delivered' }, other)
        return Items.length === 1
      })
      expect(postsTo('slow')).toBe(SHARE)
      answer()
      await until('all are delivered', async () => {
        const { Items } = await pageOf(bench, { State: 'pending' })
        return Items.length === 0
      })
      expect(postsTo('slow')).toBe(MANY)
    })
  },
)
