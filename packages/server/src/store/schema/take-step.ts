import { A_MOMENT_MS, type Database, RowLocked, type Tx } from '../database.ts'
import { notOurs, schemaState, stepNamed, WrongSchema } from './steps.ts'

/** An arbitrary advisory-lock number, used by this program only. */
const LOCK = 7_946_292
/** While a step waits for the lock of a table, all that comes after it waits as well. */
const LOCK_WAIT_MS = 500
const MOST_TRIES = 60
/** Between two tries, others have the table. */
const PAUSE_MS = 1_000
/** Until the first look whether another process has ended its step, and at most between two. Most steps are quick. */
const FIRST_BUSY_MS = 5
const BUSY_MS = 100

export interface Step {
  name: string
  text: string
}

export interface StepOptions {
  /** The names of all steps that this program knows. */
  known: readonly string[]
  /** The running gateways that do not know the step with this number, in words. */
  gatewaysBefore(tx: Tx, step: number): Promise<string[]>
  /** How long a step waits for the lock of a table; half a second when left out. */
  lockWaitMs?: number | undefined
  /** How long others have the table then; a second when left out. */
  pauseMs?: number | undefined
}

/** `there`: another process took it. Otherwise the gateways for which it waits. */
export type StepResult = 'taken' | 'there' | { gateways: string[] }

/**
 * Takes one step, with its row in `migrations`. Several processes may call it at once, and exactly one takes the step. A
 * narrow step waits while a gateway runs that uses what it takes away. Throws {@link WrongSchema} when a newer version
 * came first, or a table stays locked; nothing of the step was done then.
 */
export async function takeStep(database: Database, step: Step, options: StepOptions): Promise<StepResult> {
  const outside = database.engine === 'postgres' && stepNamed(step.name)?.kind === 'index'
  const { pauseMs = PAUSE_MS } = options
  const take = outside ? takeOutside : takeInTransaction
  let busyMs = FIRST_BUSY_MS
  for (let tries = 1; ; ) {
    const result = await take(database, step, options).catch((error: unknown): 'locked' => {
      if (error instanceof RowLocked) return 'locked'
      throw error
    })
    if (result !== 'busy' && result !== 'locked') return result
    if (result === 'locked' && tries++ >= MOST_TRIES) throw new WrongSchema(staysLocked(step.name))
    await new Promise((resolve) => setTimeout(resolve, result === 'busy' ? busyMs : pauseMs))
    busyMs = Math.min(2 * busyMs, BUSY_MS)
  }
}

function takeInTransaction(database: Database, step: Step, options: StepOptions) {
  return database.write(
    async (tx): Promise<StepResult | 'busy'> => {
      const { run } = tx
      if (database.engine === 'postgres' && !(await isYes(tx, 'pg_try_advisory_xact_lock'))) return 'busy'
      await run('CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY)', [])
      if (await isThere(tx, step, options)) return 'there'
      const { kind, after } = stepNamed(step.name) ?? {}
      const gateways = kind === 'narrow' ? await options.gatewaysBefore(tx, after ?? 0) : []
      if (gateways.length > 0) return { gateways }
      for (const statement of statementsOf(step.text, database.engine)) await run(statement, [])
      await run('INSERT INTO migrations (name) VALUES ($1)', [step.name])
      if (database.engine === 'sqlite') await fixStatistics(tx)
      return 'taken'
    },
    { long: true, lockWaitMs: options.lockWaitMs ?? LOCK_WAIT_MS },
  )
}

/**
 * Makes an index while others write, which PostgreSQL allows only outside a transaction. An interrupted step
 * leaves an invalid index, which is dropped and made again.
 */
function takeOutside(database: Database, step: Step, options: StepOptions) {
  return database.write(
    async (tx): Promise<StepResult | 'busy'> => {
      const { run } = tx
      if (!(await isYes(tx, 'pg_try_advisory_lock'))) return 'busy'
      try {
        if (await isThere(tx, step, options)) return 'there'
        // It waits for the transactions that were there before it, and nothing waits for it.
        await run('SET lock_timeout = 0', [])
        for (const statement of statementsOf(step.text, database.engine)) await makeIndex(tx, statement)
        await run('INSERT INTO migrations (name) VALUES ($1)', [step.name])
        return 'taken'
      } finally {
        // A connection that broke takes both with it.
        await run(`SET lock_timeout = ${A_MOMENT_MS}`, []).catch(() => undefined)
        await isYes(tx, 'pg_advisory_unlock').catch(() => undefined)
      }
    },
    { single: true, long: true },
  )
}

async function makeIndex({ run }: Tx, statement: string): Promise<void> {
  const name = /^CREATE INDEX (\w+)/.exec(statement)?.[1]
  if (name === undefined) throw new Error(`expected CREATE INDEX in an index step, got ${statement}`)
  const [index] = await run<{ valid: boolean }>(
    'SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = to_regclass($1)',
    [name],
  )
  if (index?.valid) return
  if (index) await run(`DROP INDEX CONCURRENTLY ${name}`, [])
  await run(statement.replace('CREATE INDEX', 'CREATE INDEX CONCURRENTLY'), [])
}

async function isThere({ run }: Tx, { name }: Step, { known }: StepOptions): Promise<boolean> {
  const done = (await run<{ name: string }>('SELECT name FROM migrations', [])).map((row) => row.name)
  const { unknown } = schemaState(known, done)
  if (unknown.length > 0) throw new WrongSchema(notOurs(unknown))
  return done.includes(name)
}

/** The answer of one of PostgreSQL's functions about our lock. */
async function isYes({ run }: Tx, name: string): Promise<boolean> {
  const [row] = await run<{ yes: boolean }>(`SELECT ${name}(${LOCK}) AS yes`, [])
  return row?.yes === true
}

function staysLocked(name: string): string {
  return `the step ${name} found its table locked ${MOST_TRIES} times, by another session such as a running pg_dump: let that end, and run wigwag migrate again`
}

/**
 * Splits a migration at semicolons. A statement must not contain one, and comments need separate lines. PostgreSQL is
 * spared how SQLite lays a table out.
 */
export function statementsOf(text: string, engine: Database['engine']): string[] {
  const ours = engine === 'postgres' ? text.replaceAll(') WITHOUT ROWID;', ');') : text
  return ours
    .replace(/^\s*--.*$/gm, '')
    .split(';')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '')
}

/**
 * Fixed statistics for SQLite's planner on the indexes of `messages` and `callbacks`: total rows, then rows per longer
 * prefix of the key. Without statistics it may choose a wallet's time range over its sender and status, or all
 * callbacks of a wallet over those of one message. With gathered ones, plans would change as the database grows.
 */
const STATISTICS: readonly [table: string, index: string, rows: string][] = [
  ['messages', 'sqlite_autoindex_messages_1', '1000000 1'],
  ['messages', 'messages_by_time', '1000000 100000 2'],
  ['messages', 'messages_not_by_api', '10000 1000 2'],
  ['messages', 'messages_open', '10000 1000 2'],
  ['messages', 'messages_scheduled', '10000 5000 2'],
  ['messages', 'messages_by_sender', '990000 2000 2'],
  ['messages', 'messages_by_reference', '900000 90000 5 2 1'],
  ['messages', 'messages_by_recipient', '990000 10 2'],
  ['messages', 'messages_by_carrier_ref', '990000 1'],
  ['callbacks', 'sqlite_autoindex_callbacks_1', '1000000 1'],
  ['callbacks', 'callbacks_message', '1000000 1'],
  ['callbacks', 'callbacks_wallet', '1000000 100000 1'],
  ['callbacks', 'callbacks_state', '1000000 100000 10000 1'],
]

/** Stores the statistics. They apply to this connection at once and to connections opened later. */
export async function fixStatistics({ run }: Tx): Promise<void> {
  await run('ANALYZE sqlite_schema', [])
  await run('DELETE FROM sqlite_stat1', [])
  for (const [table, index, rows] of STATISTICS) {
    await run('INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ($1, $2, $3)', [table, index, rows])
  }
  await run('ANALYZE sqlite_schema', [])
}
