import { removeSetting } from '../platform/database/settings.ts'
import { MoveRefused } from './refused.ts'
import type { Source } from './source.ts'

/** Lets gateways start on a file again from which everything was moved. Returns where it was moved to. */
export async function takeBack({ database, file, moved }: Source): Promise<string> {
  if (!moved) throw new MoveRefused(`nothing was moved from ${file.path}: gateways start on it as ever`)
  await database.change((tx) => removeSetting(tx, 'moved'))
  return moved.to
}
