import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { checkStandings, endLeases, endValidity } from '../support/books.ts'
import { open } from '../support/engine.ts'
import { eventually } from '../support/eventually.ts'
import { atLength } from '../support/figures.ts'
import { FOR_DATABASES } from '../support/for-databases.ts'
import { runLoad } from '../support/load.ts'
import { emptyPostgres } from '../support/postgres.ts'
import { chaos } from '../support/random.ts'
import { type CarrierProcess, openCarrier } from './carrier.ts'
import { compareAtEnd, compareHalfway } from './compare.ts'
import { checkOutcome, comesToRest, isHandedOver, lookAtOnce } from './outcome.ts'
import { openReceiver, type Receiver } from './receiver.ts'
import { type Server, serving, startServer, THREAD_ENDS } from './server.ts'

/** How often a gateway or the carrier is killed, or both are, and how many messages clients are told of at least. */
const BRIEFLY = { cycles: 2, messages: 20 }
const LENGTHS = {
  alone: atLength({ short: BRIEFLY, full: { cycles: 90, messages: 60_000 } }),
  together: atLength({ short: BRIEFLY, full: { cycles: 72, messages: 60_000 } }),
  faithful: atLength({ short: BRIEFLY, full: { cycles: 20, messages: 5_000 } }),
  threads: atLength({ short: { cycles: 8, messages: 60 }, full: { cycles: 100, messages: 5_000 } }),
}
const LOAD = atLength({
  short: { clients: 6, restMs: 60 },
  full: { clients: 8, restMs: 30, mostRecipients: 60 },
})
/** While a thread waits to be started again, nothing leaves. */
const LITTLE_LOAD = { clients: 2, restMs: 300 }
const PATIENCE_MS = atLength({ short: 300_000, full: 600_000 })

const IDS = ['--ids', 'mixed', '--delay', '20']
/** Faults of a carrier. It gets other ones with each start. */
const FAULTS = [
  ['--receipt-first', '--hangup', '1'],
  ['--receipt-first', '--silent', '1', '--forget', '5'],
  ['--hangup', '2', '--receipts', 'both'],
  ['--silent', '2', '--tps', '150'],
  ['--hangup', '1', '--silent', '1', '--forget', '10', '--receipts', 'tlv'],
  ['--tps', '60'],
]
/** A carrier that hangs up again and again is dialled after long pauses, in which too much would wait. */
const STEADY = [['--receipt-first'], ['--receipts', 'both']]
/** Faults that lose no receipt. A carrier that is killed forgets those that it has not brought. */
const FAITHFUL = [
  ['--receipt-first', '--hangup', '1'],
  ['--hangup', '1', '--silent', '1', '--receipts', 'both'],
]

const random = chaos(1)

let folder: string
let receiver: Receiver
let carrier: CarrierProcess
let servers: Server[] = []
let close = async () => {}

afterEach(async () => {
  await Promise.all(servers.map((server) => server.kill()))
  await carrier.kill()
  await receiver.close()
  await close()
  await rm(folder, { recursive: true, force: true })
})

describe('gateways and a carrier over SMPP that fail at any instant', () => {
  it.each([
    [
      'one gateway on an SQLite file',
      { ...LENGTHS.alone, processes: 1, carrierForgets: true, threadsEnd: false },
    ],
    [
      'two gateways on PostgreSQL',
      { ...LENGTHS.together, processes: 2, carrierForgets: true, threadsEnd: false },
    ],
    [
      'two gateways on PostgreSQL, whose carrier forgets no receipt',
      { ...LENGTHS.faithful, processes: 2, carrierForgets: false, threadsEnd: false },
    ],
    [
      'one gateway on an SQLite file, whose threads end alone',
      { ...LENGTHS.threads, processes: 1, carrierForgets: false, threadsEnd: true },
    ],
  ])(
    'lose no message and no money, and send none twice: %s',
    { timeout: PATIENCE_MS * 6 },
    async (name, { cycles, messages, processes, carrierForgets, threadsEnd }) => {
      const faults = threadsEnd ? STEADY : carrierForgets ? FAULTS : FAITHFUL
      const startCarrier = () => carrier.start([...IDS, ...random.pick(faults)])
      const { url, start } = await openScene(processes, threadsEnd)
      await startCarrier()
      servers = await Promise.all(Array.from({ length: processes }, start))
      const account = servers[0]?.demo
      if (!account) throw new Error('the banner names no demo account')
      const kills = { gateways: 0, carriers: 0, threads: 0 }
      const load = runLoad({
        ...(threadsEnd ? LITTLE_LOAD : LOAD),
        urls: () => servers.map((server) => server.url),
        accounts: [account],
        prefix: 'chaos',
        callbackUrl: receiver.url,
        content: anyContent,
        recipient: otherRecipient(),
      })
      const isAt = (share: number) => async () => load.acknowledged.length >= share * messages
      for (let cycle = 0; cycle < cycles; cycle++) {
        await eventually('clients were told of enough', isAt(cycle / cycles), PATIENCE_MS)
        await pause(random.from(50, 1_200))
        if (threadsEnd) {
          await endThread(servers[0])
          kills.threads++
          continue
        }
        const carrierDies = carrierForgets && cycle % 2 === 1
        const gatewayDies = !carrierDies || cycle % 4 === 3
        const victim = random.from(0, processes)
        await Promise.all([gatewayDies && servers[victim]?.kill(), carrierDies && carrier.kill()])
        if (carrierDies) {
          kills.carriers++
          await startCarrier()
        }
        if (gatewayDies) {
          kills.gateways++
          const restarted = await start()
          servers = servers.map((server, index) => (index === victim ? restarted : server))
        }
      }
      await pause(500)
      const { acknowledged, requests } = await load.stop()

      await Promise.all(servers.map((server) => server.kill()))
      kills.gateways += processes
      if (carrierForgets) await carrier.start(IDS)
      const database = open(url)
      const drop = close
      close = () => database.close().then(drop)
      await endLeases(database)
      servers = await Promise.all(Array.from({ length: processes }, start))
      await eventually('all is handed over', () => isHandedOver(database), PATIENCE_MS)
      await pause(1_500)
      await lookAtOnce(database, PATIENCE_MS)

      await checkStandings(database)
      const halfway = await compareHalfway(database, carrier.taken, { carrierForgets })
      await endValidity(database)
      await eventually('nothing is left to do', () => comesToRest(database), PATIENCE_MS)
      const atEnd = await compareAtEnd(database, carrier.taken())
      await checkOutcome({
        name,
        database,
        acknowledged,
        receiver,
        atLeast: messages,
        also: {
          'kills of gateways': kills.gateways,
          'kills of the carrier': kills.carriers,
          'ends of threads': kills.threads,
          requests,
          ...halfway,
          ...atEnd,
        },
      })
      const ends = await Promise.all(servers.map((server) => server.stop()))
      expect(ends.map(({ code }) => code)).toEqual(servers.map(() => 0))
    },
  )
})

/** Resolves when the gateway has started it again. */
async function endThread(server: Server | undefined): Promise<void> {
  const starts = () => server?.said().split('a thread was started again').length ?? 0
  const before = starts()
  server?.endThread()
  await eventually('the thread was started again', () => starts() > before, PATIENCE_MS)
}

async function openScene(processes: number, threadsEnd: boolean) {
  folder = await mkdtemp(join(FOR_DATABASES, 'wigwag-chaos-'))
  carrier = await openCarrier(folder)
  close = async () => {}
  servers = []
  let secret = ''
  receiver = await openReceiver(() => secret, 0)
  const place = processes === 1 ? undefined : await emptyPostgres()
  if (place) close = place.drop
  const url = place?.url ?? `file:${join(folder, 'wigwag.db')}`
  const settings = 'binds=2&ids=hex-then-decimal&responseMs=1000&reconnectMs=100'
  const env = {
    WIGWAG_DATABASE_URL: url,
    WIGWAG_DEMO_BALANCE: '1000000',
    WIGWAG_CARRIER: `smpp://chaos:secret@127.0.0.1:${carrier.port}?${settings}`,
    WIGWAG_CALLBACK_TIMEOUT_MS: '5000',
    WIGWAG_POSTGRES_CONNECTIONS: '6',
  }
  const start = async () => {
    const program = [...(threadsEnd ? THREAD_ENDS : []), ...serving()]
    const server = await startServer({ folder, env, program })
    secret = server.demo?.callbackSecret ?? secret
    return server
  }
  return { url, start }
}

/** Each request has a text with a mark that no other has, in each of its parts. Some are long, or not of GSM 03.38. */
function anyContent(): string {
  const mark = `<${randomBytes(6).toString('hex')}>`
  const [first, part] = random.chance(50) ? ['', 153] : ['Ж', 67]
  // The last part is long enough for a whole mark.
  const length = part * (random.chance(100 / 3) ? random.from(1, 4) : 0) + random.from(30, part)
  return (first + mark.repeat(length)).slice(0, length)
}

/** The recipients of one request differ. By their last digits the carrier ends some of them in other ways. */
function otherRecipient(): () => string {
  const endings = ['00001', '00002', '00003', '00005', '00006']
  let count = 0
  return () => {
    count++
    const block = String(20 + (count % 70))
    if (count % 5 === 0) return `23324${block}${random.pick(endings)}`
    return `23324${block}${String(10_000 + (count % 89_000)).padStart(5, '0')}`
  }
}
