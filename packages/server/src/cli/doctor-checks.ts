import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { systemClock } from '../clock.ts'
import type { Config } from '../config.ts'
import { listAccounts } from '../store/accounts.ts'
import type { Database } from '../store/database.ts'
import { engineFacts, newestRow } from '../store/engine.ts'
import { migrationState } from '../store/migrate.ts'
import { outboxState } from '../store/outbox-check.ts'
import { readRates } from '../store/rates.ts'
import { createSealer } from '../store/sealing.ts'
import { describeFailure } from './failure.ts'
import type { Finding } from './finding.ts'
import { checkLedger } from './ledger-findings.ts'
import { fileOf } from './office.ts'

type Check = (database: Database, config: Config) => Promise<Finding[]>

const GIB = 2 ** 30
const ROOM = { warn: GIB, fail: GIB / 10 }
const CLOCK_TOLERANCE_MS = 5_000
const OVERDUE_MS = 60_000

/** Looks at everything. A schema that is not up to date is not looked into. */
export async function inspect(database: Database, config: Config): Promise<Finding[]> {
  const first = await perform([checkNode, checkEngine, checkDisk, checkMigrations], database, config)
  if (first.some(({ state }) => state === 'fail')) return first
  const rest = await perform(
    [checkClock, checkSecret, checkLedger, checkOutbox, checkRates],
    database,
    config,
  )
  return [...first, ...rest]
}

/** One after the other. A check that cannot be made has failed. */
async function perform(checks: readonly Check[], database: Database, config: Config): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const check of checks) {
    const name = check.name.replace(/^check/, '').toLowerCase()
    const found = await check(database, config).catch((error: unknown): Finding[] => [
      { check: name, state: 'fail', detail: describeFailure(error).message },
    ])
    findings.push(...found)
  }
  return findings
}

async function checkNode(): Promise<Finding[]> {
  return [{ check: 'node', state: 'ok', detail: process.versions.node }]
}

async function checkEngine(database: Database): Promise<Finding[]> {
  const { version } = await engineFacts(database)
  const name = database.engine === 'sqlite' ? 'SQLite' : 'PostgreSQL'
  return [{ check: 'engine', state: 'ok', detail: `${name} ${version}` }]
}

async function checkDisk(_: Database, { database: url }: Config): Promise<Finding[]> {
  const file = fileOf(url)
  if (file === undefined) return []
  const { bavail, bsize } = await statfs(dirname(file))
  const free = bavail * bsize
  const state = free < ROOM.fail ? 'fail' : free < ROOM.warn ? 'warn' : 'ok'
  return [{ check: 'disk', state, detail: `${(free / GIB).toFixed(1)} GiB free` }]
}

async function checkMigrations(database: Database): Promise<Finding[]> {
  const { pending, unknown } = await migrationState(database)
  const finding = (state: Finding['state'], detail: string) => [{ check: 'migrations', state, detail }]
  if (unknown.length > 0) return finding('fail', `a newer version of this program made ${unknown.join(', ')}`)
  if (pending.length > 0) return finding('fail', `${pending.join(', ')} to do: wigwag migrate does it`)
  return finding('ok', 'up to date')
}

async function checkClock(database: Database): Promise<Finding[]> {
  const before = systemClock.now()
  const { now } = await engineFacts(database)
  const apart = Math.max(before - now, now - systemClock.now(), 0)
  const ahead = (await newestRow(database)) - systemClock.now()
  if (apart > CLOCK_TOLERANCE_MS) {
    return [{ check: 'clock', state: 'warn', detail: `${seconds(apart)} apart from the database's clock` }]
  }
  if (ahead > CLOCK_TOLERANCE_MS) {
    return [
      {
        check: 'clock',
        state: 'warn',
        detail: `${seconds(ahead)} behind what was stored last: it went back`,
      },
    ]
  }
  return [{ check: 'clock', state: 'ok', detail: new Date(systemClock.now()).toISOString() }]
}

async function checkSecret(database: Database, { secret }: Config): Promise<Finding[]> {
  const sealer = createSealer(secret)
  const accounts = await database.read(listAccounts)
  for (const { callbackSecret } of accounts) sealer.open(callbackSecret)
  return [{ check: 'secret', state: 'ok', detail: `opens what is sealed for ${accounts.length} accounts` }]
}

async function checkOutbox(database: Database): Promise<Finding[]> {
  const { jobs, overdue, lapsed, setAside, forgotten } = await database.read((connection) =>
    outboxState(connection, systemClock.now(), OVERDUE_MS),
  )
  const findings: Finding[] = []
  const add = (state: Finding['state'], detail: string) => findings.push({ check: 'outbox', state, detail })
  if (forgotten > 0) add('fail', `${forgotten} messages are under way without a job that ends them`)
  if (setAside > 0)
    add('fail', `${setAside} jobs fail each time and are tried once an hour: the log of the gateway says why`)
  if (lapsed > 0) add('warn', `${lapsed} jobs were claimed by a process that did not settle them in time`)
  if (overdue > 0) add('warn', `${overdue} jobs are overdue by more than a minute: does a gateway run?`)
  if (findings.length === 0) add('ok', `${jobs} jobs wait, none of them overdue`)
  return findings
}

async function checkRates(database: Database, { environment }: Config): Promise<Finding[]> {
  const { rates, sample } = await database.read(readRates)
  const finding = (state: Finding['state'], detail: string) => [{ check: 'rates', state, detail }]
  if (rates.length === 0)
    return finding('warn', 'none, so nothing can be sent: wigwag rates import brings some')
  if (sample)
    return finding(environment === 'production' ? 'warn' : 'ok', `${rates.length}, the built-in sample`)
  return finding('ok', `${rates.length}`)
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1_000)} s`
}
