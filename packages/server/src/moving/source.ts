import { realpathSync, statSync } from 'node:fs'
import type { ReadOnlyDatabase } from '../platform/database/database.ts'
import { migrationState } from '../platform/database/migrate.ts'
import { removeSetting } from '../platform/database/settings.ts'
import { FileInUse, type LockedFile, openSqliteAlone } from '../platform/database/sqlite/alone.ts'
import { notOurs } from '../platform/database/steps.ts'
import { type MovedMark, MoveRefused, readMoved, type SourceFile } from './moved.ts'

export interface Source {
  database: LockedFile
  file: SourceFile
  /** Set when everything in it was moved already. */
  moved: MovedMark | undefined
}

/** Opens the file of a stopped gateway, and keeps gateways away from it until it is closed. */
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
    const moved = await database.read(readMoved)
    const file = moved?.file ?? { path: realpathSync(path), bytes: size, modifiedAt: mtimeMs }
    return { database, file, moved }
  } catch (error) {
    await database.close()
    throw error
  }
}

function openAlone(path: string): LockedFile {
  try {
    return openSqliteAlone(path)
  } catch (error) {
    if (!(error instanceof FileInUse)) throw error
    throw new MoveRefused(`a gateway or another program has ${path} open: stop it first`, { cause: error })
  }
}

/** What a newer version added would not be moved. */
async function refuseOtherSchema(database: ReadOnlyDatabase, path: string): Promise<void> {
  const { pending, waiting, beside, unknown } = await migrationState(database)
  const foreign = [...unknown, ...beside]
  if (foreign.length > 0) throw new MoveRefused(`${path}: ${notOurs(foreign)}`)
  if (pending.length + waiting.length > 0) {
    throw new MoveRefused(
      `${path} has an older schema than this version: run wigwag migrate --database file:${path} first`,
    )
  }
}

/** Lets gateways start on a file again from which everything was moved. Returns where it was moved to. */
export async function takeBack({ database, file, moved }: Source): Promise<string> {
  if (!moved) throw new MoveRefused(`nothing was moved from ${file.path}: gateways start on it as ever`)
  await database.change((tx) => removeSetting(tx, 'moved'))
  return moved.to
}
