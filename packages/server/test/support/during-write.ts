import type { Database, Tx } from '../../src/store/database.ts'
import type { EngineName } from './engine.ts'
import { eventually } from './eventually.ts'

/**
 * Keeps a write open while other work begins, until that waits for its locks or is done without them. Resolves with what
 * the other work does.
 */
export async function duringWrite<T>(
  engine: EngineName,
  database: Database,
  write: (tx: Tx) => Promise<void>,
  begin: () => Promise<T>,
): Promise<T> {
  const [written, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const open = database.write(async (tx) => {
    await write(tx)
    written.resolve()
    await over.promise
  })
  await Promise.race([written.promise, open])
  const other = begin()
  // On SQLite a write waits for the whole of another.
  if (engine === 'PostgreSQL') await waitsOrIsDone(database, other)
  over.resolve()
  await open
  return other
}

async function waitsOrIsDone(database: Database, work: Promise<unknown>): Promise<void> {
  let isDone = false
  const done = () => {
    isDone = true
  }
  work.then(done, done)
  const waiting =
    "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
  await eventually('it waits for a lock, or is done', async () => {
    const rows = await database.read(({ run }) => run(waiting, []))
    return isDone || rows.length > 0
  })
}
