import { readdirSync, readFileSync } from 'node:fs'
import Sqlite from 'better-sqlite3'
import type { EngineName } from '../../support/engine.ts'
import { connectTo } from '../../support/postgres.ts'

const FOLDER = new URL('../../../migrations/', import.meta.url)

/** A schema as it once was: all migrations up to a number. */
export interface Schema {
  number: string
  files: readonly string[]
}

/** Every schema that an engine's databases ever had, oldest first. */
export function schemasOf(engine: EngineName): Schema[] {
  const others = engine === 'PostgreSQL' ? '.sqlite.sql' : '.postgres.sql'
  const files = readdirSync(FOLDER)
    .filter((name) => name.endsWith('.sql') && !name.endsWith(others))
    .sort()
  const numbers = [...new Set(files.map((name) => name.slice(0, 4)))]
  return numbers.map((number) => ({ number, files: files.filter((name) => name.slice(0, 4) <= number) }))
}

/** A statement for a place, with its values for `$1` and so on. */
export type Run = (statement: string, values?: readonly unknown[]) => Promise<Record<string, unknown>[]>

/** Makes a schema in an empty place, and lets `fill` write into it. */
export async function makeSchema(
  url: string,
  { files }: Schema,
  fill: (run: Run) => Promise<void>,
): Promise<void> {
  const { run, script, close } = url.startsWith('file:') ? sqlite(url) : await postgres(url)
  try {
    await script('CREATE TABLE migrations (name TEXT PRIMARY KEY)')
    for (const name of files) {
      await script(`BEGIN; ${readFileSync(new URL(name, FOLDER), 'utf8')}; COMMIT`)
      await run('INSERT INTO migrations (name) VALUES ($1)', [name])
    }
    await fill(run)
  } finally {
    await close()
  }
}

interface Session {
  run: Run
  script(text: string): Promise<unknown>
  close(): Promise<unknown>
}

function sqlite(url: string): Session {
  const database = new Sqlite(url.replace(/^file:/, ''))
  return {
    async run(statement, values = []) {
      const prepared = database.prepare(statement.replace(/\$\d+/g, '?'))
      if (prepared.reader) return prepared.all(...values) as Record<string, unknown>[]
      prepared.run(...values)
      return []
    },
    script: async (text) => database.exec(text),
    close: async () => database.close(),
  }
}

async function postgres(url: string): Promise<Session> {
  const client = await connectTo(url)
  return {
    run: async (statement, values = []) => (await client.query(statement, [...values])).rows,
    script: (text) => client.query(text),
    close: () => client.end(),
  }
}

/** The columns of every table but those that say which migrations ran, as the engine tells. */
export async function columnsOf(url: string, run: Run): Promise<Map<string, string[]>> {
  const rows = await run(
    url.startsWith('file:')
      ? `SELECT t.name AS "table", c.name AS "column" FROM sqlite_schema t, pragma_table_info(t.name) c
         WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite%' AND t.name <> 'migrations' ORDER BY t.name, c.cid`
      : `SELECT table_name AS "table", column_name AS "column" FROM information_schema.columns
         WHERE table_schema = 'public' AND table_name <> 'migrations' ORDER BY table_name, ordinal_position`,
  )
  const columns = new Map<string, string[]>()
  for (const { table, column } of rows)
    columns.set(String(table), [...(columns.get(String(table)) ?? []), String(column)])
  return columns
}
