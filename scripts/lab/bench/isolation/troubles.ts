import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { openToRead } from '../../../../packages/server/src/store/open.ts'
import type { Row } from '../../report.ts'
import type { BenchDatabase } from '../rig/database.ts'
import { fillOldKeys } from '../rig/fill.ts'
import { BULK, bulkOf, MAIN, MESSAGE, sendBulk, sends, untilIdle } from '../rig/gateways.ts'
import { DIGITS, type Load } from '../rig/load.ts'
import { load, type Server } from '../rig/processes.ts'
import { startReceiver } from '../rig/receiver.ts'
import { FLOODED, flood } from '../sign-in.ts'
import { type Carriers, FAULTY_PREFIX, flowCarrier, pacedCarrier, twoCarriers } from './carriers.ts'

/** A gateway with an account that is measured and one that is in trouble. */
export interface Scene {
  folder: string
  database: BenchDatabase
  gateway: Server
  measured: Record<string, string>
  troubled: Record<string, string>
  /** The session of a person who looks at the demo account. */
  cookie: string
}

export interface Trouble {
  what: string
  engines: readonly string[]
  /** The gateway's program, where it is not the usual one. The gateway without trouble has the same. */
  program?: string | undefined
  /** Settings of the gateway that has the trouble. */
  env?: Record<string, string>
  /** The carriers of both gateways, with their settings. */
  carriers?(folder: string): Promise<Carriers>
  /** Fills the gateway's database before it starts. */
  prepare?(url: string): Promise<void>
  /** Begins the trouble for a time, and gives what ends it. Without this, it is there from the start. */
  begin?(scene: Scene, seconds: number): Promise<End>
  /** How long each measurement lasts, where that is not the usual time. */
  seconds?: number
  /** It goes on by itself, so the gateway is not at rest between measurements. */
  lasts?: true
  /** Measured once, because it leaves so much to do. */
  once?: true
  /** Requests of others a second, where they are not the usual ones. */
  pace?: Partial<Record<'accepts' | 'reads', number>>
  /** The most that others' requests may take, where that is not three times what they take without trouble. */
  atMostMs?: Partial<Record<'accepts' | 'reads' | 'probes' | 'pages', number | Record<string, number>>>
  /** The longest way of a message that somebody else sends, where it is followed to its end instead. */
  wayMs?: number
}

/** Ends a trouble, and says what else was seen of it. */
type End = () => Promise<Row[]>

const BOTH = ['sqlite', 'postgres']
/** On a slow machine, more of others' beside bulks is more than there is room for, and waits for that. */
const BESIDE_BULKS = { pace: { accepts: 100, reads: 50 }, atMostMs: { accepts: 150, pages: 80 } }

export const TROUBLES: readonly Trouble[] = [
  { what: 'a wallet that another session keeps locked', engines: ['postgres'], begin: lockWallet },
  { what: 'a receiver that never answers', engines: BOTH, begin: silentReceiver },
  {
    what: 'a carrier that takes 5 s to answer',
    engines: BOTH,
    env: { WIGWAG_SIMULATOR_ANSWER_MS: '5000' },
  },
  {
    what: 'as much as it takes, by SMPP with callbacks',
    engines: BOTH,
    carriers: flowCarrier,
    begin: fullFlow,
    seconds: 10,
    // More would not fit beside what is as much as it takes.
    pace: { accepts: 50, reads: 50 },
    atMostMs: { accepts: 150, reads: 30, probes: 20, pages: 80 },
  },
  { what: 'bulks of 10,000', engines: BOTH, begin: bulks, ...BESIDE_BULKS },
  {
    what: '40 bulks of 10,000 in flight, 7 a second',
    engines: BOTH,
    begin: (scene, seconds) => bulks(scene, seconds, { connections: 40, pace: 7 }),
    seconds: 10,
    once: true,
    ...BESIDE_BULKS,
  },
  ...[1_000, 10_000].map((size) => ({
    what: `a bulk of ${size.toLocaleString('en')} at 20 a second`,
    engines: BOTH,
    carriers: pacedCarrier,
    begin: (scene: Scene) => waitingBulk(scene, size),
    wayMs: 1_000,
  })),
  {
    what: '1,000 callbacks to a receiver that takes 2.5 s',
    engines: BOTH,
    begin: slowReceiver,
    wayMs: 1_000,
  },
  {
    what: 'a dead carrier',
    engines: BOTH,
    carriers: twoCarriers,
    begin: sendByFaulty,
    wayMs: 1_000,
  },
  {
    what: 'a carrier that never answers',
    engines: BOTH,
    carriers: (folder) => twoCarriers(folder, ['--silent', '100']),
    begin: sendByFaulty,
    wayMs: 1_000,
  },
  { what: '200 who sign in without rest', engines: BOTH, program: FLOODED, begin: signIns },
  {
    what: 'the deletion of three million old keys',
    engines: BOTH,
    prepare: (url) => fillOldKeys(url, 3_000_000),
    begin: deletion,
    lasts: true,
  },
  { what: 'a backup', engines: ['sqlite'], begin: backups },
]

async function lockWallet(scene: Scene, seconds: number): Promise<End> {
  const other = new pg.Client({ connectionString: scene.database.url })
  await other.connect()
  await other.query('BEGIN')
  await other.query(
    "SELECT w.id FROM wallets w JOIN accounts a ON a.id = w.account_id WHERE a.name = 'troubled' FOR UPDATE OF w",
  )
  const sending = sendForTroubled(scene, { seconds, connections: 8 })
  return async () => {
    await sending
    await other.query('ROLLBACK')
    await other.end()
    return []
  }
}

async function silentReceiver(scene: Scene, seconds: number): Promise<End> {
  const receiver = createServer((socket) => socket.on('error', () => socket.destroy())).listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  const { port } = receiver.address() as AddressInfo
  const body = JSON.stringify({ ...MESSAGE, CallbackUrl: `http://127.0.0.1:${port}/` })
  const sending = sendForTroubled(scene, { seconds, connections: 4, body })
  return async () => {
    await sending
    receiver.close()
    return []
  }
}

async function bulks(
  scene: Scene,
  seconds: number,
  how: Pick<Load, 'connections' | 'pace'> = { connections: 1 },
): Promise<End> {
  const sending = sendForTroubled(scene, { seconds, ...how, path: BULK, body: bulkOf(10_000) })
  return () => ended(sending)
}

async function fullFlow(scene: Scene, seconds: number): Promise<End> {
  const receiver = await startReceiver(scene.folder)
  const sending = load({ ...sends(scene.gateway, [scene.troubled], receiver), connections: 64, seconds })
  return async () => {
    const { perSecond } = await sending
    await untilIdle(scene.gateway)
    await receiver.stop()
    return [{ what: '  accepted of those', figure: `${Math.round(perSecond)}/s`, goal: '' }]
  }
}

async function waitingBulk({ gateway, troubled }: Scene, size: number): Promise<End> {
  await sendBulk(gateway, troubled, bulkOf(size))
  return async () => []
}

async function slowReceiver(scene: Scene): Promise<End> {
  const receiver = await startReceiver(scene.folder, 2_500)
  await sendBulk(scene.gateway, scene.troubled, bulkOf(1_000, { CallbackUrl: receiver.url }))
  return async () => {
    const deadline = performance.now() + 60_000
    while ((await receiver.counted()).told < 1_000 && performance.now() < deadline) await pause(100)
    // A repeated callback comes after a pause.
    await pause(15_000)
    const { told, twice } = await receiver.counted()
    await receiver.stop()
    return [{ what: `  of the slow one's ${told}, posted again`, figure: String(twice), goal: '0' }]
  }
}

async function sendByFaulty(scene: Scene, seconds: number): Promise<End> {
  const body = JSON.stringify({ ...MESSAGE, To: `${FAULTY_PREFIX}${DIGITS}7` })
  const sending = sendForTroubled(scene, { seconds, connections: 8, pace: 200, body })
  return () => ended(sending)
}

async function ended(work: Promise<unknown>): Promise<Row[]> {
  await work
  return []
}

/** Sends of the account in trouble, whatever they are answered. */
function sendForTroubled(
  { gateway, troubled }: Scene,
  others: Pick<Load, 'seconds' | 'connections'> & Partial<Load>,
): Promise<unknown> {
  return load({ ...sends(gateway, [troubled]), ...others })
}

async function signIns({ gateway }: Scene): Promise<End> {
  await flood(gateway, 'POST')
  return () => ended(flood(gateway, 'DELETE'))
}

/** The gateway begins to delete a minute after its start, and goes on in small steps for minutes. */
async function deletion({ database }: Scene): Promise<End> {
  const store = openToRead({ url: database.url, postgresConnections: 3, onIdleError: () => undefined })
  const oldest = async () => {
    const [row] = await store.read(({ run }) =>
      run<{ at: number | null }>('SELECT min(created_at) AS at FROM idempotency', []),
    )
    if (!row?.at) throw new Error('expected old keys that are still to be deleted, found none')
    return row.at
  }
  const deadline = performance.now() + 120_000
  for (const first = await oldest(); (await oldest()) === first; await pause(20)) {
    if (performance.now() > deadline) throw new Error('expected the gateway to begin to delete, it did not')
  }
  await store.close()
  return async () => []
}

async function backups({ database }: Scene): Promise<End> {
  const file = `${database.url.replace(/^file:/, '')}.backup`
  let over = false
  async function again(): Promise<void> {
    while (!over) {
      await promisify(execFile)(process.execPath, [MAIN, 'backup', file, '--database', database.url])
      await rm(file)
    }
  }
  const running = again()
  return async () => {
    over = true
    await running
    return []
  }
}
