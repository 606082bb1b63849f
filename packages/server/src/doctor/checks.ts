import { counted } from '@wigwag/contract'
import { movingAccounts } from '../accounts/index.ts'
import type { Config } from '../config.ts'
import { type Finding, fail, ok, type Verdict, warn } from '../domain/finding.ts'
import type { EpochMs } from '../domain/ids.ts'
import { countForgotten } from '../messages/index.ts'
import { readRates } from '../money/index.ts'
import { troubleOfMove } from '../moving/index.ts'
import { systemClock } from '../platform/clock.ts'
import type { ReadOnlyDatabase } from '../platform/database/database.ts'
import { engineFacts } from '../platform/database/facts.ts'
import { migrationState } from '../platform/database/migrate.ts'
import { newerBeside, notOurs, stillToNarrow, toDo } from '../platform/database/steps.ts'
import { outboxState } from '../platform/jobs/outbox-check.ts'
import { checkCarriers } from './carriers.ts'
import { type CheckOptions, newestRow, nowIn } from './check-options.ts'
import {
  checkAddress,
  checkAttempts,
  checkDisk,
  checkFiles,
  checkKeys,
  checkLedger,
  checkProxies,
  checkRegistrations,
  checkWebhook,
} from './findings.ts'
import { checkRetention } from './retention.ts'
import { checkSecret } from './secret.ts'
import { unknownSettings } from './unknown-settings.ts'

/** One check. Undefined where it does not apply. */
type Check = (
  database: ReadOnlyDatabase,
  config: Config,
  options: CheckOptions,
) => Promise<Verdict | Verdict[] | undefined>
type Checks = Readonly<Record<string, Check>>

export interface InspectOptions {
  /** What an error of a check means; its message, when left out. */
  explain?(error: unknown): string
  /** Leaves out what takes long with a million messages, or asks other machines. */
  quick?: boolean
  /** The time that the rows go by; that of the machine, and of a sandbox's moved clock, when left out. */
  now?(): EpochMs
}

/** More waiting messages of a carrier are not counted where it is to be quick. */
const MOST_QUICKLY = 10_000
/** Checks that a glance leaves out. */
const THOROUGH = ['secret', 'ledger', 'outbox', 'webhook', 'clients']

const BASICS: Checks = {
  node: checkNode,
  engine: checkEngine,
  disk: checkDisk,
  files: checkFiles,
  settings: checkSettings,
  migrations: checkMigrations,
}

/** These checks read tables, so they need the current schema. */
const CONTENTS: Checks = {
  move: checkMove,
  clock: checkClock,
  secret: checkSecret,
  ledger: checkLedger,
  outbox: checkOutbox,
  carriers: checkCarriers,
  retention: checkRetention,
  rates: checkRates,
  keys: checkKeys,
  address: checkAddress,
  proxies: checkProxies,
  webhook: checkWebhook,
  clients: checkRegistrations,
  'sign-in': checkAttempts,
}

const CLOCK_TOLERANCE_MS = 5_000
const OVERDUE_MS = 60_000

/** Runs the checks and changes nothing. Skips the contents when the schema is older or newer than this version. */
export async function inspect(
  database: ReadOnlyDatabase,
  config: Config,
  { explain = messageOf, quick = false, now }: InspectOptions = {},
): Promise<Finding[]> {
  const options: CheckOptions = {
    now: async () => now?.() ?? nowIn(database, config),
    most: quick ? MOST_QUICKLY : undefined,
  }
  const basics = await perform(BASICS)
  if (basics.some(({ state }) => state === 'fail')) return basics
  return [...basics, ...(await perform(CONTENTS))]

  /** Runs checks one after the other. A check that throws has failed. */
  async function perform(checks: Checks): Promise<Finding[]> {
    const findings: Finding[] = []
    for (const [name, check] of Object.entries(checks)) {
      if (quick && THOROUGH.includes(name)) continue
      const verdicts = await check(database, config, options).catch((error) => fail(explain(error)))
      findings.push(...[verdicts ?? []].flat().map((verdict) => ({ check: name, ...verdict })))
    }
    return findings
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

async function checkNode(): Promise<Verdict> {
  return ok(process.versions.node)
}

async function checkEngine(database: ReadOnlyDatabase): Promise<Verdict> {
  const { version } = await engineFacts(database)
  return ok(`${database.engine === 'sqlite' ? 'SQLite' : 'PostgreSQL'} ${version}`)
}

/** Names in the environment that are not settings, such as a limit that was mistyped. */
async function checkSettings(_: ReadOnlyDatabase, config: Config): Promise<Verdict | Verdict[]> {
  const unknown = unknownSettings(config)
  return unknown.length > 0 ? unknown.map(warn) : ok('every WIGWAG_ name here is known')
}

async function checkMigrations(database: ReadOnlyDatabase): Promise<Verdict | Verdict[]> {
  const { pending, waiting, beside, unknown } = await migrationState(database)
  if (unknown.length > 0) return fail(`${notOurs(unknown)}; the rest was not checked`)
  if (pending.length > 0) return fail(`${toDo(pending)} (${pending.join(', ')}); the rest was not checked`)
  const warnings = [
    ...(beside.length > 0 ? [newerBeside(beside)] : []),
    ...(waiting.length > 0 ? [stillToNarrow(waiting)] : []),
  ]
  return warnings.length > 0 ? warnings.map(warn) : ok('up to date')
}

/** Shown only where a move into the database has not finished, or everything was moved elsewhere. */
async function checkMove(database: ReadOnlyDatabase): Promise<Verdict | Verdict[] | undefined> {
  const trouble = await troubleOfMove(database)
  if (trouble !== undefined) return fail(trouble)
  const moving = await database.read(movingAccounts)
  if (moving.length === 0) return undefined
  return moving.map(({ accountId, mark: { from, to } }) =>
    warn(
      `account ${accountId} is moving from ${from} to ${to} and can't send: finish that with the same wigwag move --account, or take it back with --undo`,
    ),
  )
}

async function checkClock(database: ReadOnlyDatabase, _: Config, options: CheckOptions): Promise<Verdict> {
  const before = systemClock.now()
  const { now } = await engineFacts(database)
  const apart = Math.max(before - now, now - systemClock.now(), 0)
  const here = await options.now()
  const ahead = (await newestRow(database)) - here
  if (apart > CLOCK_TOLERANCE_MS) return warn(`${seconds(apart)} off the database's clock`)
  if (ahead > CLOCK_TOLERANCE_MS) {
    return warn(`${seconds(ahead)} behind the newest row: the clock was set back`)
  }
  return ok(new Date(here).toISOString())
}

async function checkOutbox(
  database: ReadOnlyDatabase,
  _: Config,
  options: CheckOptions,
): Promise<Verdict | Verdict[]> {
  const now = await options.now()
  const { jobs, overdue, lapsed, setAside } = await database.read((tx) => outboxState(tx, now, OVERDUE_MS))
  const forgotten = await database.read(countForgotten)
  const verdicts: Verdict[] = []
  const add = (state: typeof fail, count: number, one: string, several: string) => {
    if (count > 0) verdicts.push(state(counted(count, one, several)))
  }
  add(fail, forgotten, 'message is not final and has no job', 'messages are not final and have no job')
  add(
    fail,
    setAside,
    "job keeps failing and is retried once an hour: see the gateway's log",
    "jobs keep failing and are retried once an hour: see the gateway's log",
  )
  add(
    warn,
    lapsed,
    'job was claimed by a process that did not settle it in time',
    'jobs were claimed by a process that did not settle them in time',
  )
  add(
    warn,
    overdue,
    'job is overdue by more than a minute: is a gateway running?',
    'jobs are overdue by more than a minute: is a gateway running?',
  )
  return verdicts.length > 0 ? verdicts : ok(`${counted(jobs, 'job waits', 'jobs wait')}, none overdue`)
}

async function checkRates(database: ReadOnlyDatabase, { environment }: Config): Promise<Verdict> {
  const { rates, sample } = await database.read(readRates)
  if (rates.length === 0) return warn('none, so nothing can be sent: run wigwag rates import')
  if (!sample) return ok(`${rates.length}`)
  return (environment === 'production' ? warn : ok)(`${rates.length}, the built-in sample`)
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1_000)} s`
}
