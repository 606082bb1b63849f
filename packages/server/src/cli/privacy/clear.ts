import type { Command } from 'commander'
import { isPostgres } from '../../platform/database/postgres/address.ts'
import { clearDeleted } from '../../platform/database/wipe.ts'
import type { StoreFlags } from '../operator/store.ts'
import { runOptions } from '../settings.ts'
import { Failed, say } from '../terminal.ts'

export interface EraseFlags extends StoreFlags {
  yes?: true
  vacuum?: true
}

/** Adds the flags of commands that erase. */
export function withErasing(command: Command): Command {
  return command
    .option('--yes', 'erase; without it, nothing is changed')
    .option(
      '--vacuum',
      'also clear the deleted bytes in the files of the database; on SQLite, sends wait meanwhile',
    )
}

/** Stops unless the operator said yes: what is erased can't be brought back. */
export function requireYes({ yes }: EraseFlags, what: string): void {
  if (!yes) throw new Failed(`${what} can't be undone; pass --yes to do it. Nothing was changed.`, 2)
}

/** Clears deleted bytes if asked to, after the command has closed the database. Else says where some may be left. */
export async function clearIfAsked({ database, vacuum }: EraseFlags): Promise<void> {
  const { config, onFatal } = await runOptions({ database })
  const { database: url, postgresConnections } = config
  if (vacuum) await clearDeleted({ url, postgresConnections, onFatal, onIdleError: onFatal })
  else if (!isPostgres(url))
    say(
      'Bytes of deleted rows may be left in the file until they are overwritten: pass --vacuum in a quiet hour.',
    )
}
