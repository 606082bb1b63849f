import { type SQL, sql } from 'drizzle-orm'
import type { Connection, Database } from './database.ts'
import { digest } from './search-keys.ts'

/**
 * How many messages a run has. Their keys take up a hundred pages or so, which a busy gateway has in its cache anyway;
 * a search looks into every run, which are 611 for ten million messages.
 */
export const RUN = 16_384
const HASHES = 2 ** 32

/**
 * What a final message is found by when its recipient is asked for: its run, and a hash. Messages of one run end after
 * one another and have neighbouring keys; with a hash alone, each would write to a page of its own, which was the
 * largest single cost of an ending. Runs count from 1, and later ones have lower keys.
 */
export function recipientKey(run: number, walletId: string, recipient: string): number {
  return (digest(walletId + recipient) % HASHES) - run * HASHES
}

/**
 * Gives the run of messages that end now. Each process has runs of its own; should two have the same one for a while,
 * it only grows longer.
 */
export function createRecipientRuns(database: Database): (messages: number) => Promise<number> {
  let run: number | undefined
  let size = 0
  return async function runFor(messages) {
    run ??= (await newestRun(database)) + 1
    if (size >= RUN) {
      run++
      size = 0
    }
    size += messages
    return run
  }
}

async function newestRun(database: Database): Promise<number> {
  const [row] = await database.read(({ run }) => run<{ key: number | null }>(LOWEST_KEY, []))
  return Math.max(0, -Math.floor((row?.key ?? 0) / HASHES))
}

const LOWEST_KEY = 'SELECT min(recipient_key) AS key FROM messages WHERE recipient_key IS NOT NULL'

/** That a final message has one of a recipient's keys. Another recipient may have the same one. */
export function hasKeyOf({ t: { messages } }: Connection, walletId: string, recipient: string): SQL {
  const inFirstRun = recipientKey(1, walletId, recipient)
  // Messages that ended before there were runs have the whole digest.
  const withoutRun = digest(walletId + recipient)
  return sql`${messages.recipientKey} IN (
    WITH RECURSIVE keys (key) AS (
      SELECT CAST(${inFirstRun} AS BIGINT)
      UNION ALL SELECT key - ${sql.raw(String(HASHES))} FROM keys WHERE key >= (${sql.raw(LOWEST_KEY)}))
    SELECT key FROM keys UNION ALL SELECT CAST(${withoutRun} AS BIGINT))`
}
