import type { EpochMs } from '../domain/ids.ts'
import type { Database, Tx } from '../platform/database/database.ts'
import { inChunks, placeholders } from '../platform/database/rows.ts'
import { deleteSlice, SLICE, type Step } from '../platform/database/slices.ts'

/** The stored answer to a request that carried an idempotency key. */
export interface StoredReply {
  scope: string
  fingerprint: string
  response: string
}

/**
 * Stores replies whose scope is new, and returns the earlier replies of the others. On PostgreSQL it waits for a
 * transaction that is storing the same scope; scopes are sorted, so that two batches never deadlock.
 */
export async function storeReplies(
  tx: Pick<Tx, 'run'>,
  replies: readonly StoredReply[],
  now: EpochMs,
): Promise<Map<string, StoredReply>> {
  const sorted = [...replies].sort((a, b) => (a.scope < b.scope ? -1 : 1))
  const known: string[] = []
  await inChunks(sorted, async (chunk) => {
    const values = chunk.flatMap(({ scope, fingerprint, response }) => [scope, fingerprint, response, now])
    const stored = await tx.run<{ scope: string }>(
      `INSERT INTO idempotency (scope, fingerprint, response, created_at) VALUES ${placeholders(chunk.length, 4)}
       ON CONFLICT DO NOTHING RETURNING scope`,
      values,
    )
    if (stored.length === chunk.length) return
    const fresh = new Set(stored.map((row) => row.scope))
    known.push(...chunk.map((reply) => reply.scope).filter((scope) => !fresh.has(scope)))
  })
  const found = await findReplies(tx, known)
  // One that expired between the two statements is new.
  const pruned = new Set(known.filter((scope) => !found.has(scope)))
  if (pruned.size === 0) return found
  const again = replies.filter(({ scope }) => pruned.has(scope))
  return new Map([...found, ...(await storeReplies(tx, again, now))])
}

/** The replies stored for these scopes; a scope without one is left out. */
export async function findReplies(
  { run }: Pick<Tx, 'run'>,
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

/** Removes replies that this transaction stored for requests that were then refused. */
export async function forgetReplies({ run }: Tx, scopes: readonly string[]): Promise<void> {
  await inChunks(scopes, async (chunk) => {
    await run(`DELETE FROM idempotency WHERE scope IN ${placeholders(1, chunk.length)}`, chunk)
  })
}

/** Deletes a slice of the keys created before a time. Returns whether there may be more. */
export function pruneReplies(tx: Tx, before: EpochMs): Promise<boolean> {
  return deleteSlice(tx, {
    table: 'idempotency',
    key: 'scope',
    where: 'created_at < $1',
    values: [before],
    orderBy: 'created_at',
  })
}

/** A reply of a bulk is long; its first message says whose it is. */
const HEAD = 1_000
const FIRST_TICKET = /"Ticket":"([^"]+)"/

/**
 * Deletes the stored replies about a wallet's messages. A scope is a digest that does not name its wallet, so this looks
 * through all replies of the last day; call it while the messages are still there.
 */
export function forgetRepliesOf(database: Database, walletId: string): Step {
  let after = ''
  return async function step() {
    const { rows, scopes } = await database.read(async ({ run }) => {
      const rows = await run<{ scope: string; head: string }>(
        `SELECT scope, substr(response, 1, ${HEAD}) AS head FROM idempotency WHERE scope > $1
         ORDER BY scope LIMIT ${SLICE}`,
        [after],
      )
      const scopeOf = new Map(rows.map(({ scope, head }) => [FIRST_TICKET.exec(head)?.[1] ?? '', scope]))
      const scopes: string[] = []
      await inChunks([...scopeOf.keys()], async (chunk) => {
        const ours = await run<{ id: string }>(
          `SELECT id FROM messages WHERE wallet_id = $1 AND id IN ${placeholders(1, chunk.length, undefined, 1)}`,
          [walletId, ...chunk],
        )
        for (const { id } of ours) scopes.push(scopeOf.get(id) ?? '')
      })
      return { rows, scopes }
    })
    if (scopes.length > 0) await database.write((tx) => forgetReplies(tx, scopes), { patient: true })
    after = rows.at(-1)?.scope ?? after
    return rows.length === SLICE
  }
}
