import { readdir, readFile } from 'node:fs/promises'
import { packageRoot } from '../../package-root.ts'
import type { Database, ReadOnlyDatabase, Tx } from './database.ts'
import { fixStatistics } from './sqlite/statistics.ts'

/** The schema is not the one that this version works with. The message says what to do, and nothing was changed. */
export class WrongSchema extends Error {
  override readonly name = 'WrongSchema'
}

const FOLDER = new URL('migrations/', packageRoot)
/** The first steps of the time before the first release. */
const BEFORE_RELEASE = ['0001_init.sql', '0001_tables.sql']
/** An arbitrary advisory-lock number, used by this program only. */
const LOCK = 7_946_292

/**
 * Brings the schema up to date and returns the steps it ran. Several processes may call it at once. Takes no lock when
 * there is nothing to do, so that a command does not wait for a busy gateway.
 */
export async function migrate(database: Database, folder = FOLDER): Promise<string[]> {
  const { pending, unknown } = await migrationState(database, folder)
  if (pending.length === 0 && unknown.length === 0) return []
  const files = await filesIn(folder)
  const steps = await Promise.all(
    files.map(async (name) => ({ name, text: await readFile(new URL(name, folder), 'utf8') })),
  )
  return database.write(
    async (tx) => {
      const { run } = tx
      if (database.engine === 'postgres') {
        await requireUnicode(tx)
        await run(`SELECT pg_advisory_xact_lock(${LOCK})`, [])
      }
      await run('CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY)', [])
      const done = new Set(
        (await run<{ name: string }>('SELECT name FROM migrations', [])).map((row) => row.name),
      )
      const unknown = [...done].filter((name) => !files.includes(name))
      if (unknown.length > 0) throw new WrongSchema(notOurs(unknown))
      const taken: string[] = []
      for (const { name, text } of steps) {
        if (done.has(name)) continue
        for (const statement of statementsOf(text, database.engine)) await run(statement, [])
        await run('INSERT INTO migrations (name) VALUES ($1)', [name])
        taken.push(name)
      }
      if (database.engine === 'sqlite' && taken.length > 0) await fixStatistics(tx)
      return taken
    },
    { long: true },
  )
}

/** A database with a smaller alphabet takes accounts and refuses the texts of messages later. */
async function requireUnicode({ run }: Tx): Promise<void> {
  const [row] = await run<{ encoding: string }>("SELECT current_setting('server_encoding') AS encoding", [])
  if (row?.encoding === 'UTF8') return
  throw new WrongSchema(
    `expected a database with the encoding UTF8, got ${row?.encoding}: make another one with CREATE DATABASE wigwag ENCODING 'UTF8' TEMPLATE template0`,
  )
}

/** Throws {@link WrongSchema} unless the schema is the one of this version. Changes nothing. */
export async function requireSchema(database: ReadOnlyDatabase): Promise<void> {
  const { pending, unknown } = await migrationState(database)
  if (unknown.length > 0) throw new WrongSchema(notOurs(unknown))
  if (pending.length > 0) throw new WrongSchema(toDo(pending))
}

/** What to do about a schema that lacks steps. */
export function toDo(pending: readonly string[]): string {
  return `the database needs ${pending.length === 1 ? 'one step' : `${pending.length} steps`} to be up to date: run wigwag migrate`
}

/** What to do about a schema with steps that this version does not know. */
export function notOurs(unknown: readonly string[]): string {
  if (unknown.some((name) => BEFORE_RELEASE.includes(name)))
    return 'the database was made before the first release, and no released version reads it: start with a new one'
  return `a newer version of wigwag migrated the database (${unknown.join(', ')}): use that version, or restore a backup from before`
}

/** The steps that the schema lacks, and those it has that this program does not know. Changes nothing. */
export async function migrationState(
  database: ReadOnlyDatabase,
  folder = FOLDER,
): Promise<{ pending: string[]; unknown: string[] }> {
  const files = await filesIn(folder)
  const done = new Set(await database.read((tx) => stepsTaken(tx, database.engine)))
  return {
    pending: files.filter((name) => !done.has(name)),
    unknown: [...done].filter((name) => !files.includes(name)),
  }
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
 * Splits a migration at semicolons. A statement must not contain one, and comments need separate lines. PostgreSQL is
 * spared how SQLite lays a table out.
 */
function statementsOf(text: string, engine: Database['engine']): string[] {
  const ours = engine === 'postgres' ? text.replaceAll(') WITHOUT ROWID;', ');') : text
  return ours
    .replace(/^\s*--.*$/gm, '')
    .split(';')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '')
}
