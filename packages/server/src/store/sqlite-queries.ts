import type Sqlite from 'better-sqlite3'
import type { Logger } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import type { Connection } from './database.ts'

/**
 * The query builder of SQLite under the types of PostgreSQL's, which every query is written against: the two make
 * queries that nothing can tell apart, and TypeScript cannot know.
 */
export function sqliteQueries(client: Sqlite.Database, logger?: Logger): Connection['db'] {
  const db = drizzle(client, { casing: 'snake_case', ...(logger && { logger }) })
  return db as unknown as Connection['db']
}
