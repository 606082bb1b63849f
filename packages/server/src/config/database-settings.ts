import { isPostgres, readAddress } from '../store/postgres/address.ts'
import { ConfigError, names } from './setting-values.ts'

/** An address of PostgreSQL is read here once, so that the start says what is wrong with it. */
export function databaseUrl(name: 'database' | 'databaseRead', text: string): string {
  try {
    if (isPostgres(text)) readAddress(text)
  } catch (error) {
    throw new ConfigError(`${names[name]}: ${error instanceof Error ? error.message : error}.`)
  }
  return text
}

/** The address of a standby, which only PostgreSQL has. */
export function standbyUrl(text: string | undefined, database: string | undefined): string | undefined {
  if (text === undefined) return undefined
  if (!isPostgres(text) || !isPostgres(database ?? ''))
    throw new ConfigError(
      `${names.databaseRead}: expected postgres://… of a standby of ${names.database}, which is PostgreSQL then.`,
    )
  return databaseUrl('databaseRead', text)
}
