import type { EpochMs } from '../../kernel/ids.ts'
import type { Database, Tx } from '../../store/database.ts'
import { inChunks, placeholders } from '../../store/rows.ts'
import { deleteSlice, SLICE, type Step, walk } from '../../store/slices.ts'

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
  // Replies that expired between the two statements are stored as new.
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

/** Whose a key is, and where it was used. */
export interface KeyOwner {
  accountId: string
  walletId: string
}

/** The scopes of a wallet begin alike, so that they can be found when an account moves or is erased. */
export function scopeIn({ accountId, walletId }: KeyOwner, digest: string): string {
  return `${accountId}.${walletId}.${digest}`
}

/** Deletes the stored replies about a wallet's messages. Scopes are compared here: each database sorts text in its own way. */
export function forgetRepliesOf(database: Database, owner: KeyOwner): Step {
  const beginning = scopeIn(owner, '')
  return walk(
    (after) =>
      database.read(({ run }) =>
        run(`SELECT scope AS id FROM idempotency WHERE scope > $1 ORDER BY scope LIMIT ${SLICE}`, [after]),
      ),
    async (scopes) => {
      const ours = scopes.filter((scope) => scope.startsWith(beginning))
      if (ours.length > 0) await database.write((tx) => forgetReplies(tx, ours), { patient: true })
    },
  )
}
