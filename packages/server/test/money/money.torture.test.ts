import { micros } from '@wigwag/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkBooks, checkStandings, settled } from '../support/books.ts'
import { type EngineName, makePlace, type Place } from '../support/engine.ts'
import { atLength, checkFigures } from '../support/figures.ts'
import { BALANCE, BULK, bulk, call, type Front, openFront, SINGLE, single } from '../support/front.ts'
import { runLoad } from '../support/load.ts'

const SECONDS = atLength({ short: 5, full: 60 })
/** The price of one segment to the numbers of these tests: 0.042 GHS. */
const PRICE = 42_000

/** The promises about money to clients of the API, for every engine. */
function moneySuite(engine: EngineName): void {
  describe(`money on ${engine}`, () => {
    let place: Place
    let front: Front
    beforeAll(async () => {
      place = await makePlace(engine)
      front = await openFront(place.url)
    })
    afterAll(async () => {
      await front.close()
      await place.remove()
    })

    it('for 500 messages buys 500 of 1,000 that are sent at once', async () => {
      const account = await front.account('exact', 500 * PRICE)
      const answers = await Promise.all(
        Array.from({ length: 1_000 }, () => call(front.url, account, { path: SINGLE, body: single() })),
      )
      const count = (status: number) => answers.filter((answer) => answer.status === status).length
      expect({ paid: count(200), refused: count(402) }).toEqual({ paid: 500, refused: 500 })
      expect(JSON.parse((await call(front.url, account, { path: BALANCE })).text).balance).toBe(0)
      await settled(front.gateway.database, 60_000)
      await checkBooks(front.gateway.database)
    })

    it('is taken for a whole bulk or for none of it', async () => {
      const account = await front.account('whole', 10 * PRICE)
      const send = (size: number) =>
        call(front.url, account, {
          path: BULK,
          body: bulk(Array.from({ length: size }, () => '233241234567')),
        })
      const answers = await Promise.all([send(7), send(7), send(7)])
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 402, 402])
      expect((await send(3)).status).toBe(200)
      expect((await send(1)).status).toBe(402)
      await settled(front.gateway.database, 60_000)
      await checkBooks(front.gateway.database)
    })

    it('is held once for one key that comes 100 times at once, and each time gets the same bytes', async () => {
      const account = await front.account('key', 1_000 * PRICE)
      const body = { ...single(), Reference: 'naïve "quoted" 😀' }
      const answers = await Promise.all(
        Array.from({ length: 100 }, () => call(front.url, account, { path: SINGLE, body, key: 'one' })),
      )
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
      expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
      expect(answers.filter(({ headers }) => headers.get('idempotent-replayed') === null)).toHaveLength(1)
      await settled(front.gateway.database, 60_000)
      const later = await call(front.url, account, { path: SINGLE, body, key: 'one' })
      expect(later.text).toBe(answers[0]?.text)
      expect(JSON.parse((await call(front.url, account, { path: BALANCE })).text).balance).toBe(
        (999 * PRICE) / 1e6,
      )
      await checkBooks(front.gateway.database)
    })

    it('leaves a key free that was used without the money for it', async () => {
      const account = await front.account('poor', PRICE - 1)
      const send = () => call(front.url, account, { path: SINGLE, body: single(), key: 'later' })
      expect((await send()).status).toBe(402)
      await front.gateway.operator.credit(account.accountId, micros(1))
      const sent = await send()
      expect(sent.status).toBe(200)
      expect(sent.headers.get('idempotent-replayed')).toBeNull()
      expect(JSON.parse((await call(front.url, account, { path: BALANCE })).text).balance).toBe(0)
      await settled(front.gateway.database, 60_000)
      await checkBooks(front.gateway.database)
    })

    it(
      `adds up at every moment of ${SECONDS} seconds of 64 clients on 10 wallets, and in the end`,
      async () => {
        const accounts = await Promise.all(
          Array.from({ length: 10 }, (_, index) =>
            front.account(`loaded-${index}`, 60 * SECONDS * PRICE * (index + 1)),
          ),
        )
        let samples = 0
        let sampling = true
        const watch = (async () => {
          for (; sampling; samples++) {
            await checkStandings(front.gateway.database)
            await new Promise((resolve) => setTimeout(resolve, 100))
          }
        })()
        const load = runLoad({ urls: () => [front.url], accounts, clients: 64, prefix: 'loaded' })
        await new Promise((resolve) => setTimeout(resolve, SECONDS * 1_000))
        const result = await load.stop()
        await settled(front.gateway.database, 60_000)
        sampling = false
        await watch
        await checkBooks(front.gateway.database)
        const tickets = new Set(result.acknowledged)
        expect(tickets.size).toBe(result.acknowledged.length)
        const [stored] = await front.gateway.database.read(({ run }) =>
          run<{ n: number }>(
            "SELECT count(*) AS n FROM messages m JOIN accounts a ON a.id = m.account_id WHERE a.name LIKE 'loaded-%'",
            [],
          ),
        )
        checkFigures(engine, {
          'requests by 64 clients': result.requests,
          'messages acknowledged': [tickets.size, { atLeast: 100 * SECONDS }],
          'times that all books were checked under load': [samples, { atLeast: SECONDS }],
          'acknowledged and missing, or there and not acknowledged': [
            Math.abs((stored?.n ?? 0) - tickets.size),
            { is: 0 },
          ],
        })
      },
      SECONDS * 1_000 + 90_000,
    )
  })
}

for (const engine of ['an SQLite file', 'PostgreSQL'] as const) moneySuite(engine)
