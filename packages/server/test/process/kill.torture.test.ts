import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import type { Database } from '../../src/store/database.ts'
import { endLeases, endValidity } from '../support/books.ts'
import { makeEmptyPlace, open, type Place } from '../support/engine.ts'
import { eventually } from '../support/eventually.ts'
import { atLength } from '../support/figures.ts'
import { FOR_DATABASES } from '../support/for-databases.ts'
import { runLoad } from '../support/load.ts'
import { chaos } from '../support/random.ts'
import { checkOutcome, comesToRest, isAnsweredFinal, isHandedOver, lookAtOnce } from './outcome.ts'
import { openReceiver, type Receiver } from './receiver.ts'
import { type Server, startServer } from './server.ts'

/** How often the gateway is killed, and how many messages clients are told of at least. */
const LENGTHS = {
  'an SQLite file': atLength({ short: { kills: 3, messages: 1 }, full: { kills: 44, messages: 26_000 } }),
  PostgreSQL: atLength({ short: { kills: 1, messages: 1 }, full: { kills: 44, messages: 26_000 } }),
}
const PATIENCE_MS = 300_000
const TIME_MS = atLength({ short: 900_000, full: 3_600_000 })

const random = chaos(1)

let folder: string
let place: Place
let receiver: Receiver
let server: Server

afterEach(async () => {
  await server.kill()
  await receiver.close()
  await place.remove()
  await rm(folder, { recursive: true, force: true })
})

describe('a gateway that is killed', () => {
  it.each(['an SQLite file', 'PostgreSQL'] as const)(
    'keeps every promise on %s when it is killed at any instant',
    {
      timeout: TIME_MS,
    },
    async (engine) => {
      const length = LENGTHS[engine]
      folder = await mkdtemp(join(FOR_DATABASES, 'wigwag-kill-'))
      receiver = await openReceiver(() => server.demo?.callbackSecret ?? '', 0.03)
      place = await makeEmptyPlace(engine)
      const env = {
        WIGWAG_DATABASE_URL: place.url,
        WIGWAG_DEMO_BALANCE: '1000000',
        WIGWAG_SIMULATOR_DELAY_MS: '30',
        WIGWAG_POSTGRES_CONNECTIONS: '6',
        WIGWAG_CALLBACK_TIMEOUT_MS: '2000',
      }
      const start = async () => {
        server = await startServer({ folder, env })
      }
      await start()
      const { demo } = server
      if (!demo) throw new Error('the banner names no demo account')
      const load = runLoad({
        urls: () => [server.url],
        accounts: [demo],
        clients: 8,
        prefix: 'kill',
        callbackUrl: receiver.url,
      })
      const isAt = (share: number) => async () => load.acknowledged.length >= share * length.messages
      for (let kills = 0; kills < length.kills; kills++) {
        await eventually('clients were told of enough', isAt(kills / length.kills), PATIENCE_MS)
        await pause(random.from(20, 700))
        await server.kill()
        await start()
      }
      await eventually('clients were told of enough', isAt(1), PATIENCE_MS)
      await pause(300)
      const { acknowledged, requests } = await load.stop()
      await server.kill()
      await inStore(endLeases)
      await start()
      await eventually('all is handed over', () => inStore(isHandedOver), PATIENCE_MS)
      await inStore((database) => lookAtOnce(database, PATIENCE_MS))
      await eventually('what the carrier answered is final', () => inStore(isAnsweredFinal), PATIENCE_MS)
      const uncertain = await inStore(endValidity)
      await eventually('nothing is left to do', () => inStore(comesToRest), PATIENCE_MS)
      const { code } = await server.stop()
      expect(code).toBe(0)
      await inStore((database) =>
        checkOutcome({
          name: `a gateway on ${engine}`,
          database,
          acknowledged,
          receiver,
          atLeast: length.messages,
          also: { kills: length.kills + 1, requests, uncertain },
        }),
      )
    },
  )
})

async function inStore<T>(work: (database: Database) => Promise<T>): Promise<T> {
  const database = open(place.url)
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}
