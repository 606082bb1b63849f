import type { Clock } from '../clock.ts'
import { epochMs } from '../domain/ids.ts'
import { pruneJournal } from '../store/connector-journal.ts'
import type { Database } from '../store/database.ts'
import { pruneDelegatedTokens } from '../store/delegated-tokens.ts'
import { pruneReplies } from '../store/idempotency.ts'
import { pruneRecords } from '../store/oauth-records.ts'
import { pruneSessions } from '../store/portal.ts'
import { pruneAttempts } from '../store/sign-in-attempts.ts'
import type { Connections } from './connections.ts'

const KEEP_KEYS_MS = 24 * 3_600_000
const KEEP_ATTEMPTS_MS = 3_600_000
const EVERY_MS = 60_000

export interface HousekeepingOptions {
  database: Database
  clock: Clock
  connections: Pick<Connections, 'endUnreachable'>
  onFault(error: unknown): void
}

/** Forgets what is no longer promised. Returns how to stop. */
export function startHousekeeping({
  database,
  clock,
  connections,
  onFault,
}: HousekeepingOptions): () => void {
  let cancel = clock.after(EVERY_MS, tidy)

  function tidy(): void {
    const before = epochMs(clock.now() - KEEP_KEYS_MS)
    database
      .write(async (connection) => {
        await pruneReplies(connection, before)
        await pruneJournal(connection, clock.now())
        await pruneSessions(connection, clock.now())
        await pruneAttempts(connection, epochMs(clock.now() - KEEP_ATTEMPTS_MS))
        await pruneDelegatedTokens(connection, clock.now())
        await pruneRecords(connection, clock.now())
      })
      .then(connections.endUnreachable)
      .catch(onFault)
    cancel = clock.after(EVERY_MS, tidy)
  }
  return () => cancel()
}
