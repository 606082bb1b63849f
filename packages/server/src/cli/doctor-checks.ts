import { systemClock } from '../clock.ts'
import type { Config } from '../config.ts'
import type { ReadOnlyDatabase } from '../store/database.ts'
import { engineFacts, newestRow } from '../store/engine.ts'
import { migrationState } from '../store/migrate.ts'
import { outboxState } from '../store/outbox-check.ts'
import { readRates } from '../store/rates.ts'
import { describeFailure } from './failure.ts'
import { checkDisk, checkFiles } from './file-findings.ts'
import { type Finding, fail, ok, type Verdict, warn } from './finding.ts'
import { checkLedger } from './ledger-findings.ts'
import { checkSecret } from './secret-findings.ts'
import {
  checkAddress,
  checkAttempts,
  checkKeys,
  checkProxies,
  checkRegistrations,
} from './sign-in-findings.ts'

/** Looks at one thing. Undefined where there is no such thing. */
type Check = (database: ReadOnlyDatabase, config: Config) => Promise<Verdict | Verdict[] | undefined>
type Checks = Readonly<Record<string, Check>>

const BASICS: Checks = {
  node: checkNode,
  engine: checkEngine,
  disk: checkDisk,
  files: checkFiles,
  migrations: checkMigrations,
}

/** They read tables, so they need the schema that this version knows. */
const CONTENTS: Checks = {
  clock: checkClock,
  secret: checkSecret,
  ledger: checkLedger,
  outbox: checkOutbox,
  rates: checkRates,
  keys: checkKeys,
  address: checkAddress,
  proxies: checkProxies,
  clients: checkRegistrations,
  'sign-in': checkAttempts,
}

const CLOCK_TOLERANCE_MS = 5_000
const OVERDUE_MS = 60_000

/** Looks at everything, and changes nothing. A schema that is older or newer is not looked into. */
export async function inspect(database: ReadOnlyDatabase, config: Config): Promise<Finding[]> {
  const basics = await perform(BASICS, database, config)
  if (basics.some(({ state }) => state === 'fail')) return basics
  return [...basics, ...(await perform(CONTENTS, database, config))]
}

/** One after the other. A check that cannot be made has failed. */
async function perform(checks: Checks, database: ReadOnlyDatabase, config: Config): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const [name, check] of Object.entries(checks)) {
    const verdicts = await check(database, config).catch((error) => fail(describeFailure(error).message))
    findings.push(...[verdicts ?? []].flat().map((verdict) => ({ check: name, ...verdict })))
  }
  return findings
}

async function checkNode(): Promise<Verdict> {
  return ok(process.versions.node)
}

async function checkEngine(database: ReadOnlyDatabase): Promise<Verdict> {
  const { version } = await engineFacts(database)
  return ok(`${database.engine === 'sqlite' ? 'SQLite' : 'PostgreSQL'} ${version}`)
}

async function checkMigrations(database: ReadOnlyDatabase): Promise<Verdict> {
  const { pending, unknown } = await migrationState(database)
  if (unknown.length > 0) {
    return fail(
      `a newer version of this program made ${unknown.join(', ')}: use that; the rest was not looked at`,
    )
  }
  if (pending.length > 0) {
    return fail(`${pending.join(', ')} to do: wigwag migrate does it; the rest was not looked at`)
  }
  return ok('up to date')
}

async function checkClock(database: ReadOnlyDatabase): Promise<Verdict> {
  const before = systemClock.now()
  const { now } = await engineFacts(database)
  const apart = Math.max(before - now, now - systemClock.now(), 0)
  const ahead = (await newestRow(database)) - systemClock.now()
  if (apart > CLOCK_TOLERANCE_MS) return warn(`${seconds(apart)} apart from the database's clock`)
  if (ahead > CLOCK_TOLERANCE_MS) {
    return warn(`${seconds(ahead)} behind what was stored last: it went back`)
  }
  return ok(new Date(systemClock.now()).toISOString())
}

async function checkOutbox(database: ReadOnlyDatabase): Promise<Verdict | Verdict[]> {
  const { jobs, overdue, lapsed, setAside, forgotten } = await database.read((connection) =>
    outboxState(connection, systemClock.now(), OVERDUE_MS),
  )
  const verdicts: Verdict[] = []
  if (forgotten > 0) verdicts.push(fail(`${forgotten} messages are under way without a job that ends them`))
  if (setAside > 0)
    verdicts.push(
      fail(`${setAside} jobs fail each time and are tried once an hour: the log of the gateway says why`),
    )
  if (lapsed > 0)
    verdicts.push(warn(`${lapsed} jobs were claimed by a process that did not settle them in time`))
  if (overdue > 0)
    verdicts.push(warn(`${overdue} jobs are overdue by more than a minute: does a gateway run?`))
  return verdicts.length > 0 ? verdicts : ok(`${jobs} jobs wait, none of them overdue`)
}

async function checkRates(database: ReadOnlyDatabase, { environment }: Config): Promise<Verdict> {
  const { rates, sample } = await database.read(readRates)
  if (rates.length === 0) return warn('none, so nothing can be sent: wigwag rates import brings some')
  if (!sample) return ok(`${rates.length}`)
  return (environment === 'production' ? warn : ok)(`${rates.length}, the built-in sample`)
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1_000)} s`
}
