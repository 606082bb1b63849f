import type { Database } from '../platform/database/database.ts'
import { inChunks, placeholders } from '../platform/database/rows.ts'
import { SLICE, type Step } from '../platform/database/slices.ts'
import { forgetReplies } from './idempotency.ts'

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
