import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { bulkBody } from './bulk.ts'
import { type BenchDatabase, makeCaller, sqliteIn, startPostgres } from './database.ts'
import type { LoadResult } from './load.ts'
import { load, type Server } from './processes.ts'
import { median, type Row } from './row.ts'
import { BODY, loadSends, MAIN, settled, startGateway } from './subjects.ts'

const ROUNDS = 3
const SECONDS = 8
const CONNECTIONS = 16

/** A gateway with an account that is measured and one that is in trouble. */
interface Scene {
  database: BenchDatabase
  gateway: Server
  measured: Record<string, string>
  troubled: Record<string, string>
}

/** Begins some trouble, and gives what ends it. */
type Trouble = (scene: Scene) => Promise<() => Promise<void>>

const TROUBLES: readonly { what: string; engines: readonly string[]; begin: Trouble }[] = [
  { what: 'a wallet that another session keeps locked', engines: ['postgres'], begin: lockWallet },
  { what: 'a receiver that never answers', engines: ['sqlite', 'postgres'], begin: silentReceiver },
  { what: 'bulks of 10,000', engines: ['sqlite', 'postgres'], begin: bulks },
  { what: 'a backup', engines: ['sqlite'], begin: backups },
]

/** How long one account's sends take while something else is in trouble, against the same gateway in peace. */
export async function isolation(folder: string, engines: readonly string[]): Promise<Row[]> {
  const rows: Row[] = []
  const postgres = engines.includes('postgres') ? await startPostgres() : undefined
  try {
    for (const engine of engines) {
      for (const [index, { what, begin }] of TROUBLES.filter((one) =>
        one.engines.includes(engine),
      ).entries()) {
        const name = `isolation_${engine}_${index}`
        const database =
          postgres && engine === 'postgres' ? await postgres.make(name) : await sqliteIn(folder, name)
        rows.push(await compare(`${engine}: ${what}`, database, folder, begin))
      }
    }
  } finally {
    await postgres?.stop()
  }
  return rows
}

async function compare(what: string, database: BenchDatabase, folder: string, begin: Trouble): Promise<Row> {
  const gateway = await startGateway(folder, { WIGWAG_DATABASE_URL: database.url })
  const scene = {
    database,
    gateway,
    measured: makeCaller(database.url, 'measured'),
    troubled: makeCaller(database.url, 'troubled'),
  }
  const [quiet, disturbed]: [LoadResult[], LoadResult[]] = [[], []]
  const measure = () => loadSends(gateway, CONNECTIONS, SECONDS, [scene.measured])
  await loadSends(gateway, CONNECTIONS, 2, [scene.measured])
  for (let round = 0; round < ROUNDS; round++) {
    quiet.push(await measure())
    const end = await begin(scene)
    disturbed.push(await measure())
    await end()
  }
  await settled(gateway)
  await gateway.stop()
  const p99 = (results: LoadResult[]) => median(results.map((result) => result.p99))
  const figure = `${(p99(disturbed) / p99(quiet)).toFixed(1)} × (${p99(quiet).toFixed(0)} → ${p99(disturbed).toFixed(0)} ms)`
  return { what: `p99 of others beside ${what}`, figure, goal: '≤ 3 ×' }
}

/** Sends of the account in trouble, whatever they are answered. */
function sendForTroubled({ gateway, troubled }: Scene, body: string, connections: number) {
  return load({
    port: gateway.port,
    connections,
    seconds: SECONDS,
    path: '/v1/messages/sms',
    callers: [troubled],
    body,
  })
}

async function lockWallet(scene: Scene): Promise<() => Promise<void>> {
  const other = new pg.Client({ connectionString: scene.database.url })
  await other.connect()
  await other.query('BEGIN')
  await other.query(
    "SELECT w.id FROM wallets w JOIN accounts a ON a.id = w.account_id WHERE a.name = 'troubled' FOR UPDATE OF w",
  )
  const sending = sendForTroubled(scene, BODY, 8)
  return async () => {
    await sending
    await other.query('ROLLBACK')
    await other.end()
  }
}

async function silentReceiver(scene: Scene): Promise<() => Promise<void>> {
  const receiver = createServer((socket) => socket.on('error', () => socket.destroy())).listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  const { port } = receiver.address() as AddressInfo
  const body = JSON.stringify({ ...JSON.parse(BODY), CallbackUrl: `http://127.0.0.1:${port}/` })
  const sending = sendForTroubled(scene, body, 4)
  return async () => {
    await sending
    receiver.close()
  }
}

async function bulks(scene: Scene): Promise<() => Promise<void>> {
  const { gateway, troubled } = scene
  const path = '/v1/messages/sms/bulk/otm'
  const sending = load({
    port: gateway.port,
    connections: 1,
    seconds: SECONDS,
    path,
    callers: [troubled],
    body: bulkBody,
  })
  return async () => void (await sending)
}

async function backups({ database }: Scene): Promise<() => Promise<void>> {
  let over = false
  async function again(): Promise<void> {
    for (let number = 0; !over; number++) {
      const file = join(database.url.replace(/^file:/, ''), '..', `backup-${performance.now()}-${number}.db`)
      await promisify(execFile)(process.execPath, [MAIN, 'backup', file, '--database', database.url])
    }
  }
  const running = again()
  return async () => {
    over = true
    await running
  }
}
