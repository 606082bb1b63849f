import { rm } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import type { Database } from '../../../src/store/database.ts'
import { type CarrierProcess, openCarrier } from '../../process/carrier.ts'
import { comesToRest, isHeldOrWaits, wrongOutcomes } from '../../process/outcome.ts'
import { openReceiver, type Receiver } from '../../process/receiver.ts'
import { type Server, startServer } from '../../process/server.ts'
import { checkBooks, checkStandings, endLeases, endValidity } from '../../support/books.ts'
import { open } from '../../support/engine.ts'
import { eventually } from '../../support/eventually.ts'
import { atLength, checkFigures } from '../../support/figures.ts'
import { runLoad } from '../../support/load.ts'
import { emptyPostgres, type FreshPostgres } from '../../support/postgres.ts'
import { watchAnswers } from '../answers.ts'
import { type Faults, openFaults } from '../faults/faults.ts'
import { makeFolder } from '../scene.ts'

const MINUTES_10 = 10 * 60_000
const KILLS = atLength({ short: 1, full: 30 })
const BETWEEN_MS = atLength({ short: 700, full: 4_000 })

let folder: string
let place: FreshPostgres
let carrier: CarrierProcess
let receiver: Receiver
let skews: Faults[] = []
let servers: Server[] = []
let store: Database | undefined

afterEach(async () => {
  await Promise.all(servers.map((server) => server.kill()))
  await store?.close()
  await carrier.kill()
  await receiver.close()
  for (const each of skews) each.close()
  await place.drop()
  await rm(folder, { recursive: true, force: true })
})

describe('two gateways on one PostgreSQL, one of them ten minutes ahead and the other ten behind', () => {
  it('send nothing twice, end each message once and charge it once, while one is killed', {
    timeout: KILLS * (BETWEEN_MS + 20_000) + 900_000,
  }, async () => {
    folder = await makeFolder()
    place = await emptyPostgres()
    carrier = await openCarrier(folder)
    await carrier.start([])
    let secret = ''
    // It tells the time right, and takes no callback that is signed at another.
    receiver = await openReceiver(() => secret, 0)
    skews = [await openFaults(await makeFolder()), await openFaults(await makeFolder())]
    skews[0]?.setAhead(MINUTES_10)
    skews[1]?.setAhead(-MINUTES_10)
    const start = (index: number) =>
      startServer({
        folder,
        env: {
          ...skews[index]?.env,
          WIGWAG_DATABASE_URL: place.url,
          WIGWAG_DEMO_BALANCE: '1000000',
          WIGWAG_CARRIER: `smpp://skew:secret@127.0.0.1:${carrier.port}?reconnectMs=100`,
          WIGWAG_CALLBACK_TIMEOUT_MS: '5000',
          WIGWAG_POSTGRES_CONNECTIONS: '6',
        },
      })
    servers = await Promise.all([start(0), start(1)])
    const demo = servers[0]?.demo
    if (!demo) throw new Error('the banner names no demo account')
    secret = demo.callbackSecret
    const answers = watchAnswers()
    const load = runLoad({
      urls: () => servers.map(({ url }) => url),
      accounts: [demo],
      clients: 6,
      prefix: 'skew',
      callbackUrl: receiver.url,
      recipient: otherRecipient(),
      restMs: 20,
      onAnswer: answers.onAnswer,
    })
    for (let kill = 0; kill < KILLS; kill++) {
      await pause(BETWEEN_MS)
      const victim = kill % 2
      await servers[victim]?.kill()
      await pause(BETWEEN_MS / 4)
      const restarted = await start(victim)
      servers = servers.map((server, index) => (index === victim ? restarted : server))
    }
    await pause(BETWEEN_MS)
    const result = await load.stop()
    const database = open(place.url)
    store = database
    await checkStandings(database)
    // Receipts come within a second. Messages that are left then wait for one that a killed gateway took
    // along.
    await eventually('nothing is left to do but what the killed held', () => isHeldOrWaits(database))
    await Promise.all(servers.map((server) => server.stop()))
    await endLeases(database)
    await endValidity(database)
    servers = await Promise.all([start(0), start(1)])
    await eventually('nothing is left to do', () => comesToRest(database))
    await checkBooks(database)
    const taken = carrier.taken().map(({ destination }) => destination)
    const stops = await Promise.all(servers.map((server) => server.stop()))
    expect(answers.unclear).toEqual([])
    checkFigures('two gateways whose clocks are twenty minutes apart', {
      'times one was killed': KILLS,
      'messages acknowledged': result.acknowledged.length,
      'submitted more than once': [taken.length - new Set(taken).size, { is: 0 }],
      ...(await wrongOutcomes({ database, acknowledged: result.acknowledged, receiver })),
      'callbacks refused for their time or signature': [receiver.faults.length, { is: 0 }],
      'answers that are neither 200 nor a clear 503': [answers.unclear.length, { is: 0 }],
      'that ended otherwise when asked to stop': [stops.filter(({ code }) => code !== 0).length, { is: 0 }],
    })
  })
})

/** The carrier takes what goes to a number with this end, and never sends a receipt for it. */
const SILENT = '00005'

/**
 * No two messages go to one number, so that the carrier's record says what it took twice. Each gets a receipt: what a
 * killed gateway had claimed leaves only after the validity of the others was ended, and would wait for two days.
 */
function otherRecipient(): () => string {
  let number = 2_000_000
  return () => {
    do number++
    while (String(number).endsWith(SILENT))
    return `23324${number}`
  }
}
