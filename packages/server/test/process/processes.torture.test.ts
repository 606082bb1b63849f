import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Database } from '../../src/store/database.ts'
import { endLeases, endValidity } from '../support/books.ts'
import { open } from '../support/engine.ts'
import { eventually } from '../support/eventually.ts'
import { atLength } from '../support/figures.ts'
import { FOR_DATABASES } from '../support/for-databases.ts'
import { runLoad } from '../support/load.ts'
import { emptyPostgres, type FreshPostgres } from '../support/postgres.ts'
import { chaos } from '../support/random.ts'
import { checkOutcome, comesToRest, isAnsweredFinal, isHandedOver, lookAtOnce } from './outcome.ts'
import { openReceiver, type Receiver } from './receiver.ts'
import { type Server, startServer } from './server.ts'
import { areUp, askAlone, metricOf, startedBy } from './several.ts'

const PROCESSES = 3
const LENGTH = atLength({ short: { kills: 2, messages: 200 }, full: { kills: 40, messages: 20_000 } })

const random = chaos(3)

let folder: string
let place: FreshPostgres
let receiver: Receiver
let server: Server

beforeEach(async () => {
  folder = await mkdtemp(join(FOR_DATABASES, 'wigwag-processes-'))
  place = await emptyPostgres()
  receiver = await openReceiver(() => server.demo?.callbackSecret ?? '', 0.02)
  server = await startServer({
    folder,
    env: {
      WIGWAG_DATABASE_URL: place.url,
      WIGWAG_PROCESSES: String(PROCESSES),
      WIGWAG_SIMULATOR_DELAY_MS: '30',
      WIGWAG_POSTGRES_CONNECTIONS: '6',
      WIGWAG_CALLBACK_TIMEOUT_MS: '2000',
      WIGWAG_DEMO_BALANCE: '1000000',
    },
  })
})
afterEach(async () => {
  await server.kill()
  await receiver.close()
  await place.drop()
  await rm(folder, { recursive: true, force: true })
})

async function inStore<T>(work: (database: Database) => Promise<T>): Promise<T> {
  const database = open(place.url)
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}

/** Asks again and again, each time over a connection of its own, and counts the answers. */
function keepAsking() {
  const counts = { answered: 0, unanswered: 0 }
  let isOver = false
  const asking = (async () => {
    while (!isOver) {
      const status = await askAlone(`${server.url}/livez`).then(
        (answer) => answer.status,
        () => undefined,
      )
      if (status === 200) counts.answered++
      else counts.unanswered++
    }
  })()
  return {
    counts,
    async stop() {
      isOver = true
      await asking
    },
  }
}

describe('several processes of one command', () => {
  it('keep every promise when one after the other is killed under load', { timeout: 600_000 }, async () => {
    await areUp(server, PROCESSES)
    const { demo } = server
    if (!demo) throw new Error('the banner names no demo account')
    const load = runLoad({
      urls: () => [server.url],
      accounts: [demo],
      clients: 12,
      prefix: 'processes',
      callbackUrl: receiver.url,
    })
    const probe = keepAsking()
    for (let kills = 0; kills < LENGTH.kills; kills++) {
      const enough = (LENGTH.messages * (kills + 1)) / (LENGTH.kills + 1)
      await eventually('clients were told of enough', () => load.acknowledged.length >= enough)
      const before = startedBy(server)
      const victim = random.pick(before)
      process.kill(victim, 'SIGKILL')
      const { answered } = probe.counts
      await eventually('the others go on', () => probe.counts.answered > answered + 10)
      await eventually('another took its place', () => {
        const now = startedBy(server)
        return now.length === PROCESSES && !now.includes(victim)
      })
      await areUp(server, PROCESSES)
      expect(await metricOf(server, 'wigwag_process_restarts_total')).toBe(kills + 1)
    }
    await eventually('clients were told of enough', () => load.acknowledged.length >= LENGTH.messages)
    const { acknowledged, requests } = await load.stop()
    await probe.stop()
    await inStore(endLeases)
    await eventually('all is handed over', () => inStore(isHandedOver))
    await inStore((database) => lookAtOnce(database))
    await eventually('what the carrier answered is final', () => inStore(isAnsweredFinal))
    const uncertain = await inStore(endValidity)
    await eventually('nothing is left to do', () => inStore(comesToRest))
    expect(await server.stop()).toMatchObject({ code: 0, signal: null })
    await inStore((database) =>
      checkOutcome({
        name: 'three processes of one command',
        database,
        acknowledged,
        receiver,
        atLeast: LENGTH.messages,
        also: {
          kills: LENGTH.kills,
          requests,
          uncertain,
          // With a killed process goes what it was answering, and what it was just given.
          'connections without an answer': [probe.counts.unanswered, { atMost: 2 * LENGTH.kills }],
        },
      }),
    )
  })
})
