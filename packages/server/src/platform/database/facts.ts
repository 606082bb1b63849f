import type { ReadOnlyDatabase } from './database.ts'

export interface EngineFacts {
  version: string
  /** The engine's time in epoch milliseconds. SQLite shares this process's clock. */
  now: number
}

/** Reads the engine's version and time. */
export async function engineFacts(database: ReadOnlyDatabase): Promise<EngineFacts> {
  const text =
    database.engine === 'sqlite'
      ? `SELECT sqlite_version() AS version, CAST(unixepoch('subsec') * 1000 AS INTEGER) AS now`
      : `SELECT current_setting('server_version') AS version,
           CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT) AS now`
  const [facts] = await database.read(({ run }) => run<EngineFacts>(text, []))
  return facts ?? { version: 'unknown', now: 0 }
}
