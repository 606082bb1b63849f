import type { Database } from './database.ts'
import { fileOf, type OpenOptions, openDatabase } from './open.ts'
import { rewriteFile } from './sqlite/rewrite.ts'

/** From now on this handle overwrites what it deletes, where the engine leaves deleted bytes in the file. */
export async function overwriteDeleted(database: Database): Promise<void> {
  if (database.engine === 'sqlite') await database.write(({ run }) => run('PRAGMA secure_delete = ON', []))
}

/**
 * Takes deleted bytes out of the files: rewrites an SQLite file, for which its writers wait, and lets PostgreSQL clear
 * its pages, for which none waits. Open no other handle on it in this process meanwhile.
 */
export async function clearDeleted(options: OpenOptions): Promise<void> {
  const path = fileOf(options.url)
  if (path !== undefined) return rewriteFile(path)
  const database = openDatabase(options)
  try {
    await database.read(({ run }) => run('VACUUM', []))
  } finally {
    await database.close()
  }
}
