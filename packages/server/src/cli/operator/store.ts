import { existsSync } from 'node:fs'
import { userInfo } from 'node:os'
import { dirname } from 'node:path'
import type { Command } from 'commander'
import type { Config } from '../../config/config.ts'
import { notADatabase } from '../../config/database-settings.ts'
import { type OperatorParts, openOperatorParts } from '../../gateway/operator-parts.ts'
import type { Acting } from '../../store/audit/index.ts'
import type { Database, ReadOnlyDatabase } from '../../store/database.ts'
import { fileOf, type OpenOptions, openDatabase, openToRead } from '../../store/open.ts'
import { isPostgres } from '../../store/postgres/address.ts'
import { personName, reason } from '../arguments.ts'
import { commandProcess } from '../command-process.ts'
import { runOptions, withDatabase } from '../settings.ts'
import { Failed } from '../terminal.ts'

export interface StoreFlags {
  database?: string
  by?: string
  reason?: string
}

/** Adds the flags of commands that open the store and leave a row in the audit log. */
export function withAudit(command: Command): Command {
  return withDatabase(command).option(
    '--by <name>',
    'who does this, for the audit log (default: your user name)',
    personName,
  )
}

/** The same, for commands that should say why. */
export function withReason(command: Command): Command {
  return withAudit(command).option('--reason <text>', 'why, for the audit log', reason)
}

/** Whether to create a missing database or refuse it. */
type Missing = 'create' | 'refuse'

/**
 * Opens the store for a command and closes it after the work. Other processes may have it open too. A store that is
 * missing, or whose schema is not this version's, is refused.
 */
export async function withParts<T>(
  flags: StoreFlags,
  work: (parts: OperatorParts, config: Config) => Promise<T>,
): Promise<T> {
  const { database } = flags
  const { config, ...rest } = await runOptions({ database })
  checkPlace(config.database, 'refuse')
  const parts = await openOperatorParts(config, { ...rest, acting: actingOf(flags) })
  try {
    return await work(parts, config)
  } finally {
    await parts.close()
  }
}

/** Who runs the command: the name that was given, else the user of this machine, the one behind sudo if there is one. */
export function actingOf({ by, reason }: { by?: string | undefined; reason?: string | undefined }): Acting {
  return { actor: `operator:${by ?? (commandProcess().env.SUDO_USER || machineUser())}`, reason }
}

/** In a container the user may have no name. */
function machineUser(): string {
  try {
    return userInfo().username
  } catch {
    return `uid ${process.getuid?.()}`
  }
}

/** Opens the store to bring its schema up to date. */
export function withStore<T>(
  flags: StoreFlags,
  work: (database: Database, config: Config) => Promise<T>,
): Promise<T> {
  return withOpened(flags, 'create', openDatabase, work)
}

/** Opens the store read-only. Creates and changes nothing. */
export function withReader<T>(
  flags: StoreFlags,
  work: (database: ReadOnlyDatabase, config: Config) => Promise<T>,
): Promise<T> {
  return withOpened(flags, 'refuse', openToRead, work)
}

async function withOpened<D extends ReadOnlyDatabase, T>(
  { database: url }: StoreFlags,
  missing: Missing,
  open: (options: OpenOptions) => D,
  work: (database: D, config: Config) => Promise<T>,
): Promise<T> {
  const { config, log, onFatal } = await runOptions({ database: url })
  checkPlace(config.database, missing)
  const database = open({
    url: config.database,
    postgresConnections: config.postgresConnections,
    onFatal,
    onIdleError: (error) => log.warn({ error: error.message }, 'an idle database connection broke'),
  })
  try {
    return await work(database, config)
  } finally {
    await database.close()
  }
}

function checkPlace(url: string, missing: Missing): void {
  if (isPostgres(url)) return
  const path = fileOf(url)
  if (path === undefined || path === '') throw notADatabase('WIGWAG_DATABASE_URL or --database', url)
  if (missing === 'refuse' && !existsSync(path)) {
    throw new Failed(
      `there is no database at ${path}: make it with wigwag migrate, or name another with --database or WIGWAG_DATABASE_URL`,
    )
  }
  if (!existsSync(dirname(path)))
    throw new Failed(`there is no folder ${dirname(path)} to keep the database in`)
}
