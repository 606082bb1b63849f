import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { AccountSecrets } from '../../../src/accounts/operator.ts'
import { uncertainMessages } from '../../../src/delivery/operate/uncertain.ts'
import { systemClock } from '../../../src/kernel/process/clock.ts'
import type { Database } from '../../../src/store/database.ts'
import { migrate } from '../../../src/store/schema/migrate.ts'
import { type CarrierProcess, openCarrier } from '../../process/carrier.ts'
import { checkOutcome, comesToRest, isHandedOver } from '../../process/outcome.ts'
import { openReceiver, type Receiver } from '../../process/receiver.ts'
import { type Server, startServer } from '../../process/server.ts'
import { endLeases, endValidity, unfinished } from '../../support/books.ts'
import { open } from '../../support/engine.ts'
import { eventually } from '../../support/eventually.ts'
import { atLength, checkFigures, type Figures } from '../../support/figures.ts'
import { FOR_DATABASES } from '../../support/for-databases.ts'
import { call, SINGLE } from '../../support/front.ts'
import { type LoadResult, runLoad, ticketsOf } from '../../support/load.ts'
import { forkPostgresPair, type PostgresPair } from '../../support/postgres.fork.ts'
import { connectTo } from '../../support/postgres.ts'
import { openWire, type Wire } from '../../support/wire.ts'
import { type Seen, watchWriters, whatWasSeen } from './watch.ts'

const GATEWAYS = 3
const PATIENCE_MS = 180_000
const HELPED = atLength({ short: true, full: false })

/** Three gateways, their carrier and a receiver, on a PostgreSQL with a synchronous standby. */
export interface Scene {
  servers: Server[]
  receiver: Receiver
  pair: PostgresPair
  /** By which the gateways reach the database, as by a proxy or a name that an operator moves. */
  wire: Wire
  /** By the same wire. */
  database: Database
  /** Starts a gateway again in the place of one that was killed. */
  restart(index: number): Promise<void>
  /** Does something to them under load, and checks that every promise was kept. */
  go(name: string, trouble: Trouble): Promise<void>
  close(): Promise<void>
}

export interface Trouble {
  /** Resolves when what it did is over, and work should go on. */
  make(): Promise<void>
  /** How long it may take from then until every gateway accepts a message. */
  withinSeconds: number
  /** Answers may be missing, since a gateway was killed. */
  hangsUp?: boolean
  /** Further figures, from what the database saw meanwhile. */
  figures?(seen: Seen): Figures
}

export async function openScene(): Promise<Scene> {
  const folder = await mkdtemp(join(FOR_DATABASES, 'wigwag-torture-'))
  const [pair, carrier] = await Promise.all([forkPostgresPair(), openCarrier(folder)])
  await Promise.all([followInStep(pair), carrier.start(['--delay', '20'])])
  const wire = await openWire(pair.url)
  const database = open(wire.url)
  await migrate(database)
  await watchWriters(database)
  let account: AccountSecrets | undefined
  const receiver = await openReceiver(() => account?.callbackSecret ?? '', 0)
  const start = (index: number) => startServer({ folder, env: settingsOf(index, { wire, carrier }) })
  const servers = await Promise.all(Array.from({ length: GATEWAYS }, (_, index) => start(index)))
  account = servers[0]?.demo
  if (!account) throw new Error('the banner names no demo account')
  const run = createRun({ servers, account, carrier, receiver, database })
  return {
    servers,
    receiver,
    pair,
    wire,
    database,
    async restart(index) {
      servers[index] = await start(index)
    },
    go: run,
    async close() {
      await Promise.all(servers.map((server) => server.kill()))
      await carrier.kill()
      await receiver.close()
      await database.close()
      await wire.close()
      await pair.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** From here on a commit is answered when the standby has it too. */
async function followInStep({ url }: PostgresPair): Promise<void> {
  const client = await connectTo(url)
  await client.query("ALTER SYSTEM SET synchronous_standby_names = 'standby'")
  await client.query('SELECT pg_reload_conf()')
  await client.end()
}

function settingsOf(index: number, { wire, carrier }: { wire: Wire; carrier: CarrierProcess }) {
  return {
    WIGWAG_DATABASE_URL: `${wire.url}?application_name=gateway-${index}`,
    WIGWAG_DEMO_BALANCE: '1000000',
    WIGWAG_CARRIER: `smpp://torture:secret@127.0.0.1:${carrier.port}?binds=1&responseMs=1000&reconnectMs=100`,
    WIGWAG_CALLBACK_TIMEOUT_MS: '2000',
    WIGWAG_POSTGRES_CONNECTIONS: '6',
  }
}

/** Looks after what waits for a receipt, and posts what was not taken, without the minute that it would wait. */
async function lookAtOnce(database: Database): Promise<void> {
  await database.write(({ run }) =>
    run("UPDATE outbox SET run_at = 1 WHERE kind IN ('await', 'callback') AND lease_until = 0", []),
  )
}

interface Parts extends Pick<Scene, 'servers' | 'receiver' | 'database'> {
  account: AccountSecrets
  carrier: CarrierProcess
}

function createRun({ servers, account, carrier, receiver, database }: Parts): Scene['go'] {
  const all: LoadResult = { acknowledged: [], requests: 0, statuses: {} }
  let before: Seen = { stale: 0, 'taken over': 0, 'final again': 0 }
  let recipients = 1_000_000
  /** All differ. By a last 00001 to 00006 the carrier would end a message in another way. */
  const recipient = () => {
    recipients += recipients % 100_000 === 0 ? 10 : 1
    return `23324${recipients}`
  }

  /** Until each gateway has accepted a message. */
  async function untilAllSend(): Promise<number> {
    const began = performance.now()
    await Promise.all(
      servers.map(async ({ url }) => {
        const body = {
          From: 'WIGWAG',
          To: recipient(),
          Content: 'Hello',
          Reference: account.clientId,
          CallbackUrl: receiver.url,
        }
        const ask = { path: SINGLE, body, key: randomUUID() }
        await eventually(
          'a send works again',
          async () => {
            const answer = await call(url, account, ask).catch(() => undefined)
            if (answer?.status !== 200) return false
            return all.acknowledged.push(...ticketsOf(answer.text)) > 0
          },
          PATIENCE_MS,
        )
      }),
    )
    return (performance.now() - began) / 1_000
  }

  /** Waits until all is final. Messages that were not seen to leave wait for the end of their validity. */
  async function rest(): Promise<number> {
    await becomes('all is handed over', () => isHandedOver(database))
    let uncertain = 0
    await becomes('every receipt is in', async () => {
      uncertain = (await database.read((tx) => uncertainMessages(tx, systemClock.now(), 1_000_000))).length
      return (await unfinished(database)) === uncertain
    })
    await endValidity(database)
    await becomes('nothing is left to do', () => comesToRest(database))
    return uncertain
  }

  /** In the short form, time is helped along: what would be due or free within a minute is so every second. */
  async function becomes(what: string, test: () => Promise<boolean>): Promise<void> {
    let helped = performance.now()
    let pauseMs = 1_000
    await eventually(
      what,
      async () => {
        if (await test()) return true
        if (HELPED && performance.now() - helped > pauseMs) {
          await endLeases(database)
          await lookAtOnce(database)
          helped = performance.now()
          // Longer pauses, so that a busy machine can finish work before its lease is ended again.
          pauseMs *= 2
        }
        return false
      },
      PATIENCE_MS,
    )
  }

  return async function go(name, { make, withinSeconds, hangsUp = false, figures }) {
    const load = runLoad({
      urls: () => servers.map(({ url }) => url),
      accounts: [account],
      clients: 8,
      prefix: 'torture',
      callbackUrl: receiver.url,
      recipient,
      restMs: 10,
    })
    const seconds = await (async () => {
      await pause(300)
      await make()
      return untilAllSend()
    })().catch(async (error: unknown) => {
      await load.stop()
      throw error
    })
    await pause(200)
    const result = await load.stop()
    all.acknowledged.push(...result.acknowledged)
    const uncertain = await rest()
    const seen = await whatWasSeen(database)
    const since: Seen = {
      stale: seen.stale - before.stale,
      'taken over': seen['taken over'] - before['taken over'],
      'final again': seen['final again'] - before['final again'],
    }
    before = seen
    const { 200: accepted = 0, 409: running = 0, 503: unavailable = 0, none = 0 } = result.statuses
    const other = result.requests - accepted - running - unavailable - (hangsUp ? none : 0)
    const destinations = carrier.taken().map(({ destination }) => destination)
    checkFigures(name, {
      'messages acknowledged meanwhile': [result.acknowledged.length, { atLeast: 1 }],
      'requests answered with 503 or 409': running + unavailable,
      'answers that are neither 200 nor 503 nor 409': [other, { is: 0 }],
      'seconds until every gateway accepts a message': [seconds, { atMost: withinSeconds }],
      'changed after they were final': [since['final again'], { is: 0 }],
      'submitted more than once': [destinations.length - new Set(destinations).size, { is: 0 }],
      'listed as uncertain until their validity ended': uncertain,
      'stale writes': [since.stale, { is: 0 }],
      ...figures?.(since),
    })
    await checkOutcome({ name, database, acknowledged: all.acknowledged, receiver, atLeast: 1 })
  }
}
