import { readdir, readFile } from 'node:fs/promises'
import { loadedOnce } from '../../kernel/process/loaded-once.ts'
import { packageRoot } from '../../package-root.ts'
import type { Database, ReadOnlyDatabase, Tx } from '../database.ts'
import { SqliteDatabase } from '../sqlite/sqlite.ts'
import { newestOf, notOurs, type SchemaState, schemaState, toDo, WrongSchema } from './steps.ts'
import { type StepOptions, takeStep } from './take-step.ts'

const FOLDER = new URL('migrations/', packageRoot)

export interface MigrateOptions extends Partial<Omit<StepOptions, 'known'>> {
  /** Where the steps are. */
  folder?: URL
}

export interface Migrated {
  /** The steps that were taken now. */
  taken: string[]
  /** Narrow steps that wait until these gateways have stopped. */
  waiting: string[]
  gateways: string[]
  /** Steps of a newer version, beside which this one works. */
  beside: string[]
}

/**
 * Brings the schema up to date, each step in a separate transaction, so that a table stays locked for one step at most.
 * Several processes may call it at once. Takes no lock when there is nothing to do, so that a command does not wait for a
 * busy gateway. Without `gatewaysBefore` no gateway runs.
 */
export async function migrate(
  database: Database,
  { folder = FOLDER, gatewaysBefore = async () => [], ...times }: MigrateOptions = {},
): Promise<Migrated> {
  const known = await filesIn(folder)
  const { pending, waiting, unknown, beside } = await migrationState(database, folder)
  if (unknown.length > 0) throw new WrongSchema(notOurs(unknown))
  if (database.engine === 'postgres' && pending.length > 0) await database.read(requireUnicode)
  const migrated: Migrated = { taken: [], waiting: [], gateways: [], beside }
  for (const name of [...pending, ...waiting].sort()) {
    const step = { name, text: await readFile(new URL(name, folder), 'utf8') }
    const result = await takeStep(database, step, { known, gatewaysBefore, ...times })
    if (result === 'taken') migrated.taken.push(name)
    else if (result !== 'there') {
      migrated.waiting.push(name)
      migrated.gateways = [...new Set([...migrated.gateways, ...result.gateways])]
    }
  }
  return migrated
}

/** A database with a smaller alphabet takes accounts and refuses the texts of messages later. */
async function requireUnicode({ run }: Tx): Promise<void> {
  const [row] = await run<{ encoding: string }>("SELECT current_setting('server_encoding') AS encoding", [])
  if (row?.encoding === 'UTF8') return
  throw new WrongSchema(
    `expected a database with the encoding UTF8, got ${row?.encoding}: make another one with CREATE DATABASE wigwag ENCODING 'UTF8' TEMPLATE template0`,
  )
}

/** Throws {@link WrongSchema} unless this version works with the schema. Changes nothing. */
export async function requireSchema(database: ReadOnlyDatabase, folder = FOLDER): Promise<void> {
  const { pending, unknown } = await migrationState(database, folder)
  if (unknown.length > 0) throw new WrongSchema(notOurs(unknown))
  if (pending.length > 0) throw new WrongSchema(toDo(pending))
}

/** How the schema stands to this program. Changes nothing. */
export async function migrationState(database: ReadOnlyDatabase, folder = FOLDER): Promise<SchemaState> {
  const done = await database.read((tx) => stepsTaken(tx, database.engine))
  return schemaState(await filesIn(folder), done)
}

/** The number of the newest step that this program knows. */
export async function newestStep(): Promise<number> {
  return newestOf(await filesIn(FOLDER))
}

/** The steps already run. A new database has no table for them yet. */
async function stepsTaken({ run }: Tx, engine: Database['engine']): Promise<string[]> {
  const table =
    engine === 'sqlite'
      ? "SELECT name FROM sqlite_schema WHERE type = 'table' AND name = 'migrations'"
      : "SELECT 'migrations' AS name WHERE to_regclass('migrations') IS NOT NULL"
  if ((await run(table, [])).length === 0) return []
  const rows = await run<{ name: string }>('SELECT name FROM migrations', [])
  return rows.map(({ name }) => name)
}

/** The migration files, in order. */
async function filesIn(folder: URL): Promise<string[]> {
  return (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
}

/**
 * An SQLite database that has the schema and no rows, as bytes, made once a process. A sandbox for each test opens a copy,
 * since making the schema is most of what opening one takes. A copy in memory holds a gigabyte at most.
 */
export const schemaImage = loadedOnce(async () => {
  const database = new SqliteDatabase({
    path: ':memory:',
    onFatal(error) {
      throw error
    },
  })
  try {
    await migrate(database)
    return database.image()
  } finally {
    await database.close()
  }
})
