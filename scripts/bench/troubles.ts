import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { openToRead } from '../../packages/server/src/platform/database/open.ts'
import { bulkBody } from './bulk.ts'
import type { BenchDatabase } from './database.ts'
import { fillOldKeys } from './fill.ts'
import type { Load } from './load.ts'
import { load, type Server } from './processes.ts'
import { FLOODED, flood } from './sign-in.ts'
import { MAIN, MESSAGE, sends } from './subjects.ts'

/** A gateway with an account that is measured and one that is in trouble. */
export interface Scene {
  database: BenchDatabase
  gateway: Server
  measured: Record<string, string>
  troubled: Record<string, string>
}

export interface Trouble {
  what: string
  engines: readonly string[]
  /** The gateway's program, where it is not the usual one. The gateway without trouble has the same. */
  program?: string | undefined
  /** Settings of the gateway that has the trouble. */
  env?: Record<string, string>
  /** What is done to its database before it starts. */
  prepare?(url: string): Promise<void>
  /** Begins the trouble for a time, and gives what ends it. Without this, it is there from the start. */
  begin?(scene: Scene, seconds: number): Promise<() => Promise<void>>
  /** How long each measurement lasts, where the trouble does not last as long as others. */
  seconds?: number
}

const BOTH = ['sqlite', 'postgres']

export const TROUBLES: readonly Trouble[] = [
  { what: 'a wallet that another session keeps locked', engines: ['postgres'], begin: lockWallet },
  { what: 'a receiver that never answers', engines: BOTH, begin: silentReceiver },
  {
    what: 'a carrier that takes 5 s to answer',
    engines: BOTH,
    env: { WIGWAG_SIMULATOR_ANSWER_MS: '5000' },
  },
  { what: 'bulks of 10,000', engines: BOTH, begin: bulks },
  { what: '200 who sign in without rest', engines: BOTH, program: FLOODED, begin: signIns },
  {
    what: 'the deletion of a million old keys',
    engines: BOTH,
    prepare: (url) => fillOldKeys(url, 1_000_000),
    begin: deletion,
    seconds: 1.5,
  },
  { what: 'a backup', engines: ['sqlite'], begin: backups },
]

async function lockWallet(scene: Scene, seconds: number): Promise<() => Promise<void>> {
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
  }
}

async function silentReceiver(scene: Scene, seconds: number): Promise<() => Promise<void>> {
  const receiver = createServer((socket) => socket.on('error', () => socket.destroy())).listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  const { port } = receiver.address() as AddressInfo
  const body = JSON.stringify({ ...MESSAGE, CallbackUrl: `http://127.0.0.1:${port}/` })
  const sending = sendForTroubled(scene, { seconds, connections: 4, body })
  return async () => {
    await sending
    receiver.close()
  }
}

async function bulks(scene: Scene, seconds: number): Promise<() => Promise<void>> {
  const path = '/v1/messages/sms/bulk/otm'
  const sending = sendForTroubled(scene, { seconds, connections: 1, path, body: bulkBody })
  return async () => void (await sending)
}

/** Sends of the account in trouble, whatever they are answered. */
function sendForTroubled(
  { gateway, troubled }: Scene,
  others: Pick<Load, 'seconds' | 'connections'> & Partial<Load>,
): Promise<unknown> {
  return load({ ...sends(gateway, [troubled]), ...others })
}

async function signIns({ gateway }: Scene): Promise<() => Promise<void>> {
  await flood(gateway, 'POST')
  return async () => void (await flood(gateway, 'DELETE'))
}

/** The gateway deletes a part of the keys a minute after its start, and further ones after pauses. */
async function deletion({ database }: Scene): Promise<() => Promise<void>> {
  const store = openToRead({ url: database.url, postgresConnections: 3, onIdleError: () => undefined })
  const oldest = async () => {
    const [row] = await store.read(({ run }) =>
      run<{ at: number | null }>('SELECT min(created_at) AS at FROM idempotency', []),
    )
    if (!row?.at) throw new Error('expected old keys that are still to be deleted, found none')
    return row.at
  }
  const deadline = performance.now() + 120_000
  let [last, since] = [await oldest(), performance.now()]
  for (let paused = false; ; ) {
    const at = await oldest()
    if (at !== last && paused) break
    if (at !== last) [last, since] = [at, performance.now()]
    paused = performance.now() - since > 1_000
    if (performance.now() > deadline) throw new Error('expected the gateway to begin to delete, it did not')
    await pause(20)
  }
  await store.close()
  return async () => {}
}

async function backups({ database }: Scene): Promise<() => Promise<void>> {
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
  }
}
