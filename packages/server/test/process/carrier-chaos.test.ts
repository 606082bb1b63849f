import { randomBytes, randomInt } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { uncertainMessages } from '../../src/delivery/operate/uncertain.ts'
import { systemClock } from '../../src/platform/clock.ts'
import type { Database } from '../../src/platform/database/database.ts'
import { checkStandings, endLeases, endValidity } from '../support/books.ts'
import { open } from '../support/engine.ts'
import { FOR_DATABASES } from '../support/for-databases.ts'
import { eventually } from '../support/front.ts'
import { runLoad } from '../support/load.ts'
import { emptyPostgres } from '../support/postgres.ts'
import { type CarrierProcess, openCarrier, type TakenPart } from './carrier.ts'
import { checkOutcome, comesToRest, isHandedOver } from './outcome.ts'
import { openReceiver, type Receiver } from './receiver.ts'
import { type Server, startServer } from './server.ts'

const CYCLES = Number(process.env.WIGWAG_KILL_CYCLES ?? 2)
const PATIENCE_MS = CYCLES * 5_000 + 60_000

const IDS = ['--ids', 'mixed', '--delay', '20']
/** What a carrier does wrong. It gets other faults with each start. */
const FAULTS = [
  ['--receipt-first', '--hangup', '1'],
  ['--receipt-first', '--silent', '1', '--forget', '5'],
  ['--hangup', '2', '--receipts', 'both'],
  ['--silent', '2', '--tps', '150'],
  ['--hangup', '1', '--silent', '1', '--forget', '10', '--receipts', 'tlv'],
  ['--tps', '60'],
]
/** Faults that lose no receipt. A carrier that is killed forgets those that it has not brought. */
const FAITHFUL = [
  ['--receipt-first', '--hangup', '1'],
  ['--hangup', '1', '--silent', '1', '--receipts', 'both'],
]

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
    ['one gateway on an SQLite file', { processes: 1, carrierForgets: true }],
    ['two gateways on PostgreSQL', { processes: 2, carrierForgets: true }],
    ['two gateways on PostgreSQL, whose carrier forgets no receipt', { processes: 2, carrierForgets: false }],
  ])(
    `lose no message and no money, and send none twice, through ${CYCLES} kills: %s`,
    { timeout: PATIENCE_MS * 3 },
    async (_, { processes, carrierForgets }) => {
      const startCarrier = () => carrier.start([...IDS, ...pick(carrierForgets ? FAULTS : FAITHFUL)])
      const { url, start } = await openScene(processes)
      await startCarrier()
      servers = await Promise.all(Array.from({ length: processes }, start))
      const account = servers[0]?.demo
      if (!account) throw new Error('the banner names no demo account')
      const kills = { gateways: 0, carriers: 0 }
      const load = runLoad({
        urls: () => servers.map((server) => server.url),
        accounts: [account],
        clients: 6,
        prefix: 'chaos',
        callbackUrl: receiver.url,
        content: anyContent,
        recipient: otherRecipient(),
        restMs: 60,
      })
      for (let cycle = 0; cycle < CYCLES; cycle++) {
        await pause(randomInt(50, 1_200))
        const carrierDies = carrierForgets && cycle % 2 === 1
        const gatewayDies = !carrierDies || cycle % 4 === 3
        const victim = randomInt(processes)
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
      const result = await load.stop()

      await Promise.all(servers.map((server) => server.kill()))
      if (carrierForgets) await carrier.start(IDS)
      const database = open(url)
      const drop = close
      close = () => database.close().then(drop)
      await endLeases(database)
      servers = await Promise.all(Array.from({ length: processes }, start))
      await eventually('all is handed over', () => isHandedOver(database), PATIENCE_MS)
      await lookAtOnce(database)

      await checkStandings(database)
      const told = { acknowledged: result.acknowledged, carrierForgets }
      const counts = await compare(database, { taken: carrier.taken(), ...told })
      await endValidity(database)
      await eventually('nothing is left to do', () => comesToRest(database), PATIENCE_MS)
      await checkOutcome(database, result, receiver)
      await compare(database, { taken: carrier.taken(), ...told })
      console.log(`${processes} gateways, killed ${JSON.stringify(kills)}: ${JSON.stringify(counts)}`)
      const ends = await Promise.all(servers.map((server) => server.stop()))
      expect(ends.map(({ code }) => code)).toEqual(servers.map(() => 0))
    },
  )
})

async function openScene(processes: number) {
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
    const server = await startServer({ folder, env })
    secret = server.demo?.callbackSecret ?? secret
    return server
  }
  return { url, start }
}

/** Each request has a text with a mark that no other has, in each of its parts. Some are long, or not of GSM 03.38. */
function anyContent(): string {
  const mark = `<${randomBytes(6).toString('hex')}>`
  const [first, part] = randomInt(2) === 0 ? ['', 153] : ['Ж', 67]
  // The last part is long enough for a whole mark.
  const length = part * (randomInt(3) === 0 ? randomInt(1, 4) : 0) + randomInt(30, part)
  return (first + mark.repeat(length)).slice(0, length)
}

/** The recipients of one request differ. By their last digits the carrier ends some of them in other ways. */
function otherRecipient(): () => string {
  const endings = ['00001', '00002', '00003', '00005', '00006']
  let count = 0
  return () => {
    count++
    const block = String(20 + (count % 70))
    if (count % 5 === 0) return `23324${block}${endings[randomInt(endings.length)]}`
    return `23324${block}${String(10_000 + (count % 89_000)).padStart(5, '0')}`
  }
}

/** Looks after all messages that wait for a receipt, as a minute would. */
async function lookAtOnce(database: Database): Promise<void> {
  await pause(1_500)
  await database.write(({ run }) => run("UPDATE outbox SET run_at = 1 WHERE kind = 'await'", []))
  await eventually('all waiting messages are looked after', async () => {
    const [row] = await database.read(({ run }) =>
      run<{ n: number }>(
        "SELECT count(*) AS n FROM outbox WHERE kind <> 'callback' AND (run_at = 1 OR lease_until > $1)",
        [systemClock.now()],
      ),
    )
    return row?.n === 0
  })
}

interface MessageRow {
  id: string
  status: string
  recipient: string
  content: string
  submitted: number | null
}

/** Compares what the gateways know with what the carrier took. */
async function compare(
  database: Database,
  {
    taken,
    acknowledged,
    carrierForgets,
  }: { taken: readonly TakenPart[]; acknowledged: readonly string[]; carrierForgets: boolean },
) {
  const rows = await database.read(({ run }) =>
    run<MessageRow>(
      `SELECT m.id, m.status, m.recipient, m.content, o.submitted_at AS submitted
       FROM messages m LEFT JOIN outbox o ON o.id = m.id`,
      [],
    ),
  )
  expect(rows.map(({ id }) => id).sort()).toEqual([...acknowledged].sort())
  const [orphans] = await database.read(({ run }) =>
    run<{ n: number }>('SELECT count(*) AS n FROM carrier_refs WHERE message_id IS NULL', []),
  )
  const uncertain = new Set(
    (await database.read((tx) => uncertainMessages(tx, systemClock.now(), 1_000_000))).map(({ ticket }) =>
      String(ticket),
    ),
  )
  const times = new Map<string, number>()
  const parts = new Map<string, Set<number>>()
  const wholes = new Map<string, number>()
  for (const { destination, text, part } of taken) {
    const each = `${destination} ${text} ${part?.number}`
    times.set(each, (times.get(each) ?? 0) + 1)
    const message = keyOf(destination, text)
    parts.set(message, (parts.get(message) ?? new Set()).add(part?.number ?? 1))
    wholes.set(message, part?.of ?? 1)
  }
  const duplicates = [...times].filter(([, count]) => count > 1)
  expect(duplicates).toEqual([])
  expect(await waitingWithVerdicts(database)).toEqual([])

  const counts: Record<string, number> = {
    accepted: rows.length,
    parts: taken.length,
    duplicates: duplicates.length,
    orphans: orphans?.n ?? 0,
  }
  const wrong: unknown[] = []
  for (const row of rows) {
    const { id, status, recipient, content, submitted } = row
    const key = keyOf(recipient.replace('+', ''), content)
    const found = parts.get(key)?.size ?? 0
    const isWhole = found > 0 && found === wholes.get(key)
    const kind =
      status !== 'pending' ? status : uncertain.has(id) ? 'uncertain' : submitted ? 'no receipt' : 'lost'
    counts[kind] = (counts[kind] ?? 0) + 1
    const isRight = {
      success: isWhole,
      // One part that fails ends a message, and the others need not be submitted any more.
      undelivered: found > 0,
      rejected: found === 0,
      'no receipt': isWhole && (carrierForgets || recipient.endsWith('00005')),
    }[kind]
    if (!(isRight ?? (kind === 'expired' || kind === 'uncertain'))) wrong.push({ ...row, kind, found })
  }
  expect({ wrong, counts }).toEqual({ wrong: [], counts })
  return counts
}

/** Messages that wait although all of their receipts are there, or one that ends them. */
function waitingWithVerdicts(database: Database): Promise<{ id: string }[]> {
  return database.read(({ run }) =>
    run(
      `SELECT r.message_id AS id FROM carrier_refs r JOIN outbox o ON o.id = r.message_id
       GROUP BY r.message_id
       HAVING count(CASE WHEN r.verdict = 'success' THEN 1 END) = max(r.parts)
         OR count(CASE WHEN r.verdict <> 'success' THEN 1 END) > 0`,
      [],
    ),
  )
}

function keyOf(recipient: string, content: string): string {
  return `${recipient} ${/<[0-9a-f]{12}>/.exec(content)?.[0]}`
}

function pick<T>(items: readonly T[]): T {
  const item = items[randomInt(items.length)]
  if (item === undefined) throw new Error('expected something to choose from')
  return item
}
