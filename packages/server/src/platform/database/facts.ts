import { stat } from 'node:fs/promises'
import type { ReadOnlyDatabase, Tx } from './database.ts'
import { fileOf } from './open.ts'

export interface EngineFacts {
  version: string
  /** The engine's time in epoch milliseconds. SQLite shares this process's clock. */
  now: number
}

/** Reads the engine's version and time. */
export function engineFacts(database: ReadOnlyDatabase): Promise<EngineFacts> {
  return database.read((tx) => factsIn(tx, database.engine))
}

/** The same, in a transaction. */
export async function factsIn({ run }: Tx, engine: ReadOnlyDatabase['engine']): Promise<EngineFacts> {
  const text =
    engine === 'sqlite'
      ? `SELECT sqlite_version() AS version, CAST(unixepoch('subsec') * 1000 AS INTEGER) AS now`
      : `SELECT current_setting('server_version') AS version,
           CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT) AS now`
  const [facts] = await run<EngineFacts>(text, [])
  return facts ?? { version: 'unknown', now: 0 }
}

/** How large a database is, in bytes. */
export interface DatabaseSize {
  data: number
  /** What an SQLite file's log holds that is not in the file yet. */
  log: number | undefined
}

export async function databaseSize(database: ReadOnlyDatabase, url: string): Promise<DatabaseSize> {
  const file = fileOf(url)
  if (file !== undefined) return { data: await sizeOf(file), log: await sizeOf(`${file}-wal`) }
  const text =
    database.engine === 'sqlite'
      ? 'SELECT page_count * page_size AS data FROM pragma_page_count(), pragma_page_size()'
      : 'SELECT pg_database_size(current_database()) AS data'
  const [row] = await database.read(({ run }) => run<{ data: number }>(text, []))
  return { data: Number(row?.data ?? 0), log: undefined }
}

async function sizeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  )
}
