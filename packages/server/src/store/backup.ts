import type { ReadOnlyDatabase } from './database.ts'

/** Writes an SQLite database, as it is now, into an empty file. Others may go on writing meanwhile. */
export async function copyInto(database: ReadOnlyDatabase, path: string): Promise<void> {
  await database.read(({ run }) => run('VACUUM INTO $1', [path]))
}
