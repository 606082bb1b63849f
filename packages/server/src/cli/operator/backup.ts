import { closeSync, existsSync, fsyncSync, openSync, rmSync, statSync } from 'node:fs'
import { Command } from 'commander'
import type { Config } from '../../config.ts'
import type { ReadOnlyDatabase } from '../../platform/database/database.ts'
import { fileOf } from '../../platform/database/open.ts'
import { secretFileOf } from '../../platform/secrets/sandbox-secret.ts'
import { withDatabase } from '../settings.ts'
import { Failed, type OutputFlags, output, say, withJson } from '../terminal.ts'
import { type StoreFlags, withReader } from './store.ts'

/** Copies the current state of an SQLite database into an empty file. Writes may continue meanwhile. */
export async function copyInto(database: ReadOnlyDatabase, path: string): Promise<void> {
  await database.read(({ run }) => run('VACUUM INTO $1', [path]))
}

export function backupCommand(): Command {
  return withJson(withDatabase(new Command('backup')))
    .description('Copy the current state of an SQLite database into a new file while the gateway runs.')
    .argument('<file>', 'the file to create; an existing file is not overwritten')
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
  say(`Copied the database to ${file} (${bytes} bytes).`)
  if (secretFile) say(`Its secret is not in it: copy ${secretFile} as well, to ${secretFileOf(file)}.`)
}

/** The file with the secret, which is needed to open the sealed values in the copy. */
function secretFileIn({ secret, database: url }: Config): string | undefined {
  const file = fileOf(url)
  if (secret !== undefined || file === undefined) return undefined
  return existsSync(secretFileOf(file)) ? secretFileOf(file) : undefined
}

/** Creates the file first, readable by its owner only because it holds secrets. Two backups never share a file. */
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
    if (code === 'EEXIST') throw new Failed(`expected the name of a new file, but ${file} already exists`)
    if (code === 'ENOENT') throw new Failed(`there is no folder for ${file}`)
    throw error
  }
}
