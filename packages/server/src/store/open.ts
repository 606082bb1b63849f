import type { Database } from './database.ts'
import { openPostgres } from './postgres.ts'
import { openSqlite } from './sqlite.ts'

export interface OpenOptions {
  /** `file:<path>`, `:memory:` or `postgres://…` */
  url: string
  postgresConnections: number
  onFatal(error: Error): void
  onIdleError(error: Error): void
}

/** Opens the store that a URL names. */
export function openDatabase({ url, postgresConnections, onFatal, onIdleError }: OpenOptions): Database {
  if (/^postgres(ql)?:\/\//.test(url))
    return openPostgres({ url, connections: postgresConnections, onIdleError })
  if (url === ':memory:' || url === 'file::memory:') return openSqlite({ path: ':memory:', onFatal })
  if (url.startsWith('file:')) return openSqlite({ path: url.slice('file:'.length), onFatal })
  throw new Error(
    `expected a database such as file:./wigwag.db or postgres://user@host/name, got ${url.split(':')[0]}:…`,
  )
}
