import { counted, span } from '@wigwag/contract'
import { countWaitingSenders, movingAccounts, oldestWaitingSender } from '../../accounts/index.ts'
import { failingReceivers, MOST_FAILING } from '../../callbacks/index.ts'
import type { Config } from '../../config/config.ts'
import { outboxState } from '../../flow/jobs/outbox.ts'
import { type Finding, fail, ok, type Verdict, warn, wrong } from '../../kernel/finding.ts'
import { type EpochMs, epochMs } from '../../kernel/ids.ts'
import { systemClock } from '../../kernel/process/clock.ts'
import { plainWords } from '../../kernel/text/words.ts'
import { MINUTE_MS } from '../../kernel/time/spans.ts'
import { countForgotten } from '../../messages/index.ts'
import { readRates, unpricedCurrencies } from '../../money/index.ts'
import type { ReadOnlyDatabase } from '../../store/database.ts'
import { engineFacts } from '../../store/facts.ts'
import { migrationState } from '../../store/schema/migrate.ts'
import { newerBeside, notOurs, stillToNarrow, toDo } from '../../store/schema/steps.ts'
import { aheadOf } from '../../store/settings.ts'
import { troubleOfMove } from '../moving/index.ts'
import { checkCarriers, checkRetention, checkThreads, type Look } from './carriers.ts'
import {
  checkAddress,
  checkAttempts,
  checkDisk,
  checkFiles,
  checkKeys,
  checkLedger,
  checkProxies,
  checkRegistrations,
  checkSecret,
  checkWebhook,
} from './findings.ts'
import { unknownSettings } from './settings-here.ts'

/** One check. Undefined where it does not apply. */
type Check = (
  database: ReadOnlyDatabase,
  config: Config,
  look: Look,
) => Promise<Verdict | Verdict[] | undefined>
type Checks = Readonly<Record<string, Check>>

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

/** Without these nothing else can be read: the database answers, and has the schema. */
const NEEDED = ['engine', 'migrations']

/** These checks read tables, so they need the current schema. */
const CONTENTS: Checks = {
  move: checkMove,
  clock: checkClock,
  secret: checkSecret,
  ledger: checkLedger,
  outbox: checkOutbox,
  carriers: checkCarriers,
  receivers: checkReceivers,
  senders: checkSenders,
  threads: checkThreads,
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
const OVERDUE_MS = MINUTE_MS

/** Runs the checks and changes nothing. Skips the contents when the schema is older or newer than this version. */
export async function inspect(
  database: ReadOnlyDatabase,
  config: Config,
  {
    explain = messageOf,
    quick = false,
    now,
  }: {
    /** Describes an error of a check; its message, when left out. */
    explain?(error: unknown): string
    /** Skips checks that take long with a million messages, or that ask other machines. */
    quick?: boolean
    /** The time that the rows go by; that of the machine, and of a sandbox's moved clock, when left out. */
    now?(): EpochMs
  } = {},
): Promise<Finding[]> {
  const look: Look = {
    now: async () => now?.() ?? nowIn(database, config),
    most: quick ? MOST_QUICKLY : undefined,
  }
  const basics = await perform(BASICS)
  if (basics.some(({ check, state }) => state === 'fail' && NEEDED.includes(check))) return basics
  return [...basics, ...(await perform(CONTENTS))]

  /** Runs checks one after the other. A check that throws has failed. */
  async function perform(checks: Checks): Promise<Finding[]> {
    const findings: Finding[] = []
    for (const [name, check] of Object.entries(checks)) {
      if (quick && THOROUGH.includes(name)) continue
      const verdicts = await check(database, config, look).catch((error) => ({
        ...fail(explain(error)),
        isUnread: true as const,
      }))
      findings.push(...[verdicts ?? []].flat().map((verdict) => ({ check: name, ...verdict })))
    }
    return findings
  }
}

/** The time that the rows go by: in a sandbox, what people have moved its clock forward to. */
async function nowIn(
  database: ReadOnlyDatabase,
  { environment }: Pick<Config, 'environment'>,
): Promise<EpochMs> {
  const ahead = environment === 'sandbox' ? await database.read(aheadOf) : 0
  return epochMs(systemClock.now() + ahead)
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
  return unknown.length > 0
    ? unknown.map((one) => ({ ...warn(one), topic: `setting:${one.split(' ')[0]}` }))
    : ok('every WIGWAG_ name here is known')
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
  return moving.map(({ accountId, mark: { from, to } }) => ({
    ...wrong(
      `account ${accountId} is moving from ${from} to ${to} and can't send: finish that with the same wigwag move --account, or take it back with --undo`,
    ),
    topic: `move:${accountId}`,
  }))
}

async function checkClock(database: ReadOnlyDatabase, _: Config, look: Look): Promise<Verdict> {
  const before = systemClock.now()
  const { now } = await engineFacts(database)
  const apart = Math.max(before - now, now - systemClock.now(), 0)
  const here = await look.now()
  const ahead = (await newestRow(database)) - here
  if (apart > CLOCK_TOLERANCE_MS) return wrong(`${seconds(apart)} off the database's clock`)
  if (ahead > CLOCK_TOLERANCE_MS) {
    return wrong(`${seconds(ahead)} behind the newest row: the clock was set back`)
  }
  return ok(new Date(here).toISOString())
}

/** When the newest row was created; 0 when there is none. A time in the future means that a clock was set back. */
async function newestRow(database: ReadOnlyDatabase): Promise<number> {
  const [row] = await database.read(({ run }) =>
    run<{ newest: number | null }>(
      `SELECT max(at) AS newest FROM (
         SELECT max(created_at) AS at FROM accounts
         UNION ALL SELECT (SELECT at FROM audit ORDER BY id DESC LIMIT 1) AS at
         UNION ALL SELECT (SELECT created_at FROM messages ORDER BY id DESC LIMIT 1) AS at) AS rows_`,
      [],
    ),
  )
  return row?.newest ?? 0
}

async function checkOutbox(database: ReadOnlyDatabase, _: Config, look: Look): Promise<Verdict | Verdict[]> {
  const now = await look.now()
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
    wrong,
    lapsed,
    'job was claimed by a process that did not settle it in time',
    'jobs were claimed by a process that did not settle them in time',
  )
  add(
    wrong,
    overdue,
    'job is overdue by more than a minute: is a gateway running?',
    'jobs are overdue by more than a minute: is a gateway running?',
  )
  return verdicts.length > 0 ? verdicts : ok(`${counted(jobs, 'job waits', 'jobs wait')}, none overdue`)
}

async function checkRates(database: ReadOnlyDatabase, { environment }: Config): Promise<Verdict | Verdict[]> {
  const { rates, sample } = await database.read(readRates)
  const unpriced = await database.read(unpricedCurrencies)
  // An installation that has no prices at all is not set up yet.
  if (rates.length === 0) return warn('none, so nothing can be sent: run wigwag rates import')
  const found = sample ? `${rates.length}, the built-in sample` : `${rates.length}`
  return [
    (sample && environment === 'production' ? warn : ok)(found),
    ...unpriced.map(({ currency, accounts }): Verdict => {
      const who = counted(accounts, 'customer pays', 'customers pay')
      const what = `${who} in ${currency}, for which there are no prices, and can send nothing`
      return {
        ...wrong(`${what}: run wigwag rates import with prices in ${currency}`),
        topic: `prices:${currency}`,
        about: { kind: 'prices', what },
      }
    }),
  ]
}

/** Where receivers of more customers fail, it is hardly their fault, and they are not named. */
const MOST_NAMED = 10

/** Whether receivers take their callbacks, before these are given up. */
async function checkReceivers(database: ReadOnlyDatabase): Promise<Verdict | Verdict[]> {
  const failing = await database.read((tx) => failingReceivers(tx, MOST_NAMED + 1))
  if (failing.length === 0) return ok('none fails')
  if (failing.length > MOST_NAMED)
    return wrong(
      `those of more than ${MOST_NAMED} customers take no callbacks: can the gateways reach the internet?`,
    )
  return failing.map(({ accountId, name, callbacks, hosts }): Verdict => {
    const many = callbacks >= MOST_FAILING ? 'more than ' : ''
    const has = counted(callbacks, 'callback failed', 'callbacks failed')
    const what = [
      `${many}${has} three times and ${callbacks === 1 ? 'waits' : 'wait'}: the receiver of `,
      { name },
      ` (${hosts.slice(0, 3).join(', ')}) does not take them`,
    ]
    return {
      ...wrong(`${plainWords(what)}; account ${accountId}`),
      topic: `receiver:${accountId}`,
      about: { kind: 'customer', accountId, what },
    }
  })
}

/** Requests for sender IDs, which only the operator decides. */
async function checkSenders(database: ReadOnlyDatabase, _: Config, look: Look): Promise<Verdict> {
  const now = await look.now()
  const [count, oldest] = await database.read(async (tx) => [
    await countWaitingSenders(tx),
    await oldestWaitingSender(tx),
  ])
  if (oldest === undefined) return ok('none waits for a decision')
  const waits = counted(count, 'sender ID waits', 'sender IDs wait')
  const what = `${waits} for a decision, the first for ${span(now - oldest)}`
  return { ...warn(`${what}: wigwag sender list --pending`), about: { kind: 'senders', what } }
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1_000)} s`
}
