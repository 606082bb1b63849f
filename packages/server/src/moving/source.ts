import { realpathSync, statSync } from 'node:fs'
import type { ReadOnlyDatabase } from '../platform/database/database.ts'
import { migrationState } from '../platform/database/migrate.ts'
import { FileInUse, openSqliteAlone } from '../platform/database/sqlite/alone.ts'
import { MoveRefused } from './refused.ts'

/** By what a move that goes on knows its source again. Every change of a stopped gateway's file changes these. */
export interface SourceFile {
  path: string
  bytes: number
  modifiedAt: number
}

export interface Source {
  database: ReadOnlyDatabase
  file: SourceFile
}

/** Opens the file of a stopped gateway, and keeps gateways away from it until it is closed. Changes nothing in it. */
export async function openSource(path: string): Promise<Source> {
  if ((statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0) {
    throw new MoveRefused(
      `${path} has changes that are only in ${path}-wal: a gateway runs on it, or was killed. Stop it; ` +
        `if none runs, wigwag migrate --database file:${path} completes the file`,
    )
  }
  const database = openAlone(path)
  try {
    await refuseOtherSchema(database, path)
    const { size, mtimeMs } = statSync(path)
    return { database, file: { path: realpathSync(path), bytes: size, modifiedAt: mtimeMs } }
  } catch (error) {
    await database.close()
    throw error
  }
}

function openAlone(path: string): ReadOnlyDatabase {
  try {
    return openSqliteAlone(path)
  } catch (error) {
    if (!(error instanceof FileInUse)) throw error
    throw new MoveRefused(`a gateway or another program has ${path} open: stop it first`, { cause: error })
  }
}

async function refuseOtherSchema(database: ReadOnlyDatabase, path: string): Promise<void> {
  const { pending, unknown } = await migrationState(database)
  if (unknown.length > 0) {
    throw new MoveRefused(
      `a newer version of this program made ${unknown.join(', ')} in ${path}: use that version`,
    )
  }
  if (pending.length > 0) {
    throw new MoveRefused(
      `${path} has an older schema than this version: run wigwag migrate --database file:${path} first`,
    )
  }
}
