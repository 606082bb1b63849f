import { closeSync, existsSync, fsyncSync, openSync, rmSync, statSync } from 'node:fs'
import { Command } from 'commander'
import type { Config } from '../config.ts'
import { copyInto } from '../store/backup.ts'
import type { ReadOnlyDatabase } from '../store/database.ts'
import { fileOf } from '../store/open.ts'
import { secretFileOf } from '../store/sandbox-secret.ts'
import { type StoreFlags, withReader } from './office.ts'
import { type OutputFlags, output, withJson } from './output.ts'
import { withDatabase } from './settings.ts'
import { Failed, say } from './terminal.ts'

export function backupCommand(): Command {
  return withJson(withDatabase(new Command('backup')))
    .description('Copy an SQLite database into a new file, as it is at this moment, while the gateway runs.')
    .argument('<file>', 'the file to make; one that is there is not overwritten')
    .action(backUp)
}

async function backUp(file: string, flags: StoreFlags & OutputFlags): Promise<void> {
  const secretFile = await withReader(flags, async (database, config) => {
    if (database.engine === 'postgres') {
      throw new Failed(
        `PostgreSQL is backed up with its own program: pg_dump --format=custom --file=${file} <database>`,
        2,
      )
    }
    await copyToNewFile(database, file)
    return secretFileIn(config)
  })
  const bytes = statSync(file).size
  output(flags, { file, bytes }, '')
  say(`The database is copied into ${file} (${bytes} bytes).`)
  if (secretFile)
    say(`Its secret is not: keep a copy of ${secretFile}, and name it ${secretFileOf(file)} beside it.`)
}

/** Without the secret, what the copy has sealed does not open. */
function secretFileIn({ secret, database: url }: Config): string | undefined {
  const file = fileOf(url)
  if (secret !== undefined || file === undefined) return undefined
  return existsSync(secretFileOf(file)) ? secretFileOf(file) : undefined
}

/** The copy holds secrets, so nobody else may read it. It is made first: two backups never share one. */
async function copyToNewFile(database: ReadOnlyDatabase, file: string): Promise<void> {
  const handle = makeFile(file)
  try {
    await copyInto(database, file)
    fsyncSync(handle)
  } catch (error) {
    rmSync(file, { force: true })
    throw error
  } finally {
    closeSync(handle)
  }
}

function makeFile(file: string): number {
  try {
    return openSync(file, 'wx', 0o600)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'EEXIST') throw new Failed(`expected the name of a new file, and ${file} is already there`)
    if (code === 'ENOENT') throw new Failed(`there is no folder for ${file}`)
    throw error
  }
}
