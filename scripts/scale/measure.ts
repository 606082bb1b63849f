import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import pg from 'pg'
import { type BenchDatabase, checkBooks, type Engines, makeCaller } from '../bench/database.ts'
import { measureFlow } from '../bench/flow/measure.ts'
import type { LoadResult } from '../bench/load.ts'
import { loadOk, type Server } from '../bench/processes.ts'
import { loadSends, MESSAGE, sends, startGateway } from '../bench/subjects.ts'
import { cpuOfFamily } from '../bench/usage.ts'
import type { Cost, Costs } from './simulate.ts'

export interface Load {
  connections: number
  wallets: number
  seconds: number
}

/** What a message used of everything, on average, from nothing under way to nothing under way. */
export interface Used {
  messages: number
  clientUs: number
  gatewayUs: number
  databaseUs: number
  /** Statements that changed something, and those of them that ended messages. */
  writes: number
  endings: number
  walBytes: number
  /** What its rows and their indexes hold afterwards. */
  keptBytes: number
  /** The processors that were not busy with something else. */
  processors: number
}

export interface Measured {
  load: LoadResult
  /** Messages that became final within the measured time, a second. */
  ended: number
  used: Used
}

const WARM_SECONDS = 2

/** Whole lives of messages. */
export function measureWhole(engines: Engines, folder: string, load: Load): Promise<Measured> {
  return onGateway(engines, folder, load, async (gateway, database, callers) => {
    const whole = await measureFlow(gateway, database, { ...load, callers })
    return { load: whole.load, messages: whole.messages, ended: whole.ended.perSecond }
  })
}

/** The same messages for a day that is far away: they are accepted and stored, and nothing follows. */
export function measureAccepts(engines: Engines, folder: string, load: Load): Promise<Measured> {
  const body = JSON.stringify({ ...MESSAGE, SendAt: new Date(Date.now() + 60 * 86_400_000).toISOString() })
  return onGateway(engines, folder, load, async (gateway, _database, callers) => {
    const { connections, seconds } = load
    const scheduled = { ...sends(gateway, callers), path: '/v1/messages/sms/scheduled', body }
    const result = await loadOk({ ...scheduled, connections, seconds })
    return { load: result, messages: result.requests, ended: 0 }
  })
}

type Work = (
  gateway: Server,
  database: BenchDatabase,
  callers: Record<string, string>[],
) => Promise<Pick<Measured, 'load' | 'ended'> & { messages: number }>

let databases = 0

async function onGateway(engines: Engines, folder: string, load: Load, work: Work): Promise<Measured> {
  const database = await engines.make('postgres', `scale_${databases++}`)
  const gateway = await startGateway(folder, { WIGWAG_DATABASE_URL: database.url })
  const callers = Array.from({ length: load.wallets }, (_, index) =>
    makeCaller(database.url, `scale${index}`),
  )
  await loadSends(gateway, load.connections, WARM_SECONDS, callers)
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  try {
    await quiet(client)
    // What counting costs is outside of what is counted.
    const before = { ...(await counted(client)), ...spent(gateway, database) }
    const { messages, ...result } = await work(gateway, database, callers)
    const after = { ...spent(gateway, database), ...(await counted(client)) }
    return { ...result, used: usedBetween(before, after, messages) }
  } finally {
    await client.end()
    await gateway.stop()
    checkBooks(database.url)
  }
}

/** Waits until no message of the first seconds is under way. */
async function quiet(client: pg.Client): Promise<void> {
  for (;;) {
    const { rows } = await client.query("SELECT 1 FROM outbox WHERE kind <> 'scheduled' LIMIT 1")
    if (rows.length === 0) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

type Reading = Awaited<ReturnType<typeof counted>> & ReturnType<typeof spent>

async function counted(client: pg.Client) {
  const { rows } = await client.query<Record<'wal' | 'writes' | 'endings' | 'kept' | 'stored', string>>(COUNT)
  const { wal = '', writes = '', endings = '', kept = '', stored = '' } = rows[0] ?? {}
  return {
    wal: Number(wal),
    writes: Number(writes),
    endings: Number(endings),
    kept: Number(kept),
    stored: Number(stored),
  }
}

function spent(gateway: Server, database: BenchDatabase) {
  return {
    at: performance.now(),
    machineMs: machineMs(),
    familyMs: cpuOfFamily(process.pid),
    gatewayMs: gateway.cpuMs(),
    databaseMs: database.cpuMs(),
  }
}

/** Only what changes something gets a transaction number; endings of one statement have one time, and no other has it. */
const COUNT = `SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') AS wal,
  CAST(CAST(pg_snapshot_xmax(pg_current_snapshot()) AS TEXT) AS BIGINT) AS writes,
  (SELECT count(DISTINCT effected_at) FROM messages WHERE status = 'success') AS endings,
  pg_total_relation_size('messages') + pg_total_relation_size('ledger') AS kept,
  (SELECT count(*) FROM messages) AS stored`

/** What all processes of the machine have used, and what its owner took from it. */
function machineMs(): number {
  const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n')
  const [user = 0, nice = 0, system = 0, , , interrupts = 0, soft = 0, stolen = 0] = line
    .split(/\s+/)
    .slice(1)
    .map(Number)
  return (user + nice + system + interrupts + soft + stolen) * 10
}

function usedBetween(before: Reading, after: Reading, messages: number): Used {
  const grown = (key: keyof Reading) => after[key] - before[key]
  const clientMs = grown('familyMs') - grown('gatewayMs') - grown('databaseMs')
  const others = (grown('machineMs') - grown('familyMs')) / grown('at')
  return {
    messages,
    clientUs: (clientMs * 1_000) / messages,
    gatewayUs: (grown('gatewayMs') * 1_000) / messages,
    databaseUs: (grown('databaseMs') * 1_000) / messages,
    writes: grown('writes') / messages,
    endings: grown('endings') / messages,
    walBytes: grown('wal') / messages,
    keptBytes: after.kept / after.stored,
    processors: availableParallelism() - Math.max(0, others),
  }
}

/** A pair of loads: one message at a time, and many together. */
export interface Pair {
  single: Used
  many: Used
}

/**
 * Splits what messages used into a part for each message and one for each statement, from two loads whose batches
 * differ; and whole lives into accepting and ending, by what accepting alone used.
 */
export function costsOf({ accepts, whole }: { accepts: Pair; whole: Pair }): Costs {
  const acceptOf = (key: 'gatewayUs' | 'databaseUs') =>
    line([accepts.single, accepts.many].map((used) => ({ cost: used[key], statements: used.writes })))
  const gateway = acceptOf('gatewayUs')
  const database = acceptOf('databaseUs')
  const finishOf = (key: 'gatewayUs' | 'databaseUs', accept: Cost) =>
    line(
      [whole.single, whole.many].map((used) => ({
        cost: used[key] - accept.message - accept.statement * (used.writes - used.endings),
        // One reads the messages, the other ends them.
        statements: 2 * used.endings,
      })),
    )
  return {
    client: accepts.many.clientUs,
    accept: { gateway, database },
    finish: { gateway: finishOf('gatewayUs', gateway), database: finishOf('databaseUs', database) },
  }
}

/** The line through two points, where no part is below zero; the second point is on it in any case. */
export function line(points: readonly { cost: number; statements: number }[]): Cost {
  const [single = { cost: 0, statements: 1 }, many = { cost: 0, statements: 0 }] = points
  const slope = (single.cost - many.cost) / (single.statements - many.statements)
  const statement = Math.min(Math.max(slope, 0), Math.max(many.cost, 0) / many.statements)
  return { statement, message: Math.max(many.cost - statement * many.statements, 0) }
}
