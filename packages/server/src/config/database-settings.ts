import { shownUrl } from '@wigwag/contract'
import { isPostgres, readAddress } from '../store/postgres/address.ts'
import { ConfigError, names } from './setting-values.ts'

/** An address is read here once, so that the start says what is wrong with it. */
export function databaseUrl(name: 'database' | 'databaseRead', text: string): string {
  if (isPostgres(text)) checkPostgres(name, text)
  else if (text !== ':memory:' && !text.startsWith('file:')) throw notADatabase(names[name], text)
  return text
}

/** `place`: where it was given. Of an address that is none, only the scheme is shown: a password may follow. */
export function notADatabase(place: string, given: string): ConfigError {
  const got = shownUrl(given.split('://')[0] ?? '')
  return new ConfigError(
    `${place}: expected a database such as file:./wigwag.db or postgres://user@host/name, got ${got}`,
  )
}

function checkPostgres(name: 'database' | 'databaseRead', text: string): void {
  try {
    readAddress(text)
  } catch (error) {
    throw new ConfigError(`${names[name]}: ${error instanceof Error ? error.message : error}.`)
  }
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

/** More would wait for PostgreSQL, and need more connections than it has. */
const MOST_BY_ITSELF = 8
const MOST = 64

/**
 * How many processes one command runs: those that are set, else one for each two processors in production on PostgreSQL. A
 * sandbox has one, since the faults that are made in it, and the refused requests that it shows, are in memory.
 */
export function processCount(
  text: string | undefined,
  { database = '', production }: { database: string | undefined; production: boolean },
  processors: number,
): number {
  const onPostgres = isPostgres(database)
  if (text === undefined)
    return production && onPostgres ? Math.min(Math.max(Math.floor(processors / 2), 1), MOST_BY_ITSELF) : 1
  const given = /^\d{1,3}$/.test(text) ? Number(text) : 0
  if (given < 1 || given > MOST)
    throw new ConfigError(
      `${names.processes}: expected a whole number from 1 to ${MOST}, got ${JSON.stringify(text)}.`,
    )
  if (given > 1 && !onPostgres)
    throw new ConfigError(
      `${names.processes}: expected 1 on SQLite, where one process has the file, got ${given}; for several set ${names.database} to postgres://…`,
    )
  return given
}
