import type { EpochMs } from '../domain/ids.ts'
import type { Connection } from './database.ts'
import { inChunks, placeholders } from './rows.ts'
import { deleteSlice } from './slices.ts'

/** The stored answer to a request that carried an idempotency key. */
export interface StoredReply {
  scope: string
  fingerprint: string
  response: string
}

/**
 * Stores replies whose scope is new, and returns what was there before for the others. On PostgreSQL it waits for
 * a transaction that is storing the same scope; scopes go in order, so that two batches never wait for each other.
 */
export async function storeReplies(
  { run }: Connection,
  replies: readonly StoredReply[],
  now: EpochMs,
): Promise<Map<string, StoredReply>> {
  const sorted = [...replies].sort((a, b) => (a.scope < b.scope ? -1 : 1))
  const known: string[] = []
  await inChunks(sorted, async (chunk) => {
    const values = chunk.flatMap(({ scope, fingerprint, response }) => [scope, fingerprint, response, now])
    const stored = await run<{ scope: string }>(
      `INSERT INTO idempotency (scope, fingerprint, response, created_at) VALUES ${placeholders(chunk.length, 4)}
       ON CONFLICT DO NOTHING RETURNING scope`,
      values,
    )
    if (stored.length === chunk.length) return
    const fresh = new Set(stored.map((row) => row.scope))
    known.push(...chunk.map((reply) => reply.scope).filter((scope) => !fresh.has(scope)))
  })
  return findReplies({ run }, known)
}

/** What was stored for scopes, where something was. */
export async function findReplies(
  { run }: Pick<Connection, 'run'>,
  scopes: readonly string[],
): Promise<Map<string, StoredReply>> {
  const found = new Map<string, StoredReply>()
  await inChunks(scopes, async (chunk) => {
    const rows = await run<StoredReply>(
      `SELECT scope, fingerprint, response FROM idempotency WHERE scope IN ${placeholders(1, chunk.length)}`,
      chunk,
    )
    for (const row of rows) found.set(row.scope, row)
  })
  return found
}

/** Takes back what was stored in this transaction for a request that turned out to fail. */
export async function forgetReplies({ run }: Connection, scopes: readonly string[]): Promise<void> {
  await inChunks(scopes, async (chunk) => {
    await run(`DELETE FROM idempotency WHERE scope IN ${placeholders(1, chunk.length)}`, chunk)
  })
}

/** Forgets a slice of the keys that are older than the promise to keep them, and says whether there may be more. */
export function pruneReplies(connection: Connection, before: EpochMs): Promise<boolean> {
  return deleteSlice(connection, {
    table: 'idempotency',
    key: 'scope',
    where: 'created_at < $1',
    values: [before],
    orderBy: 'created_at',
  })
}
