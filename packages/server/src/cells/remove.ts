import type { Database, Tx } from '../platform/database/database.ts'
import { finishStep } from '../platform/database/slices.ts'
import type { OwnTable } from './belongings.ts'

interface RemoveOptions {
  database: Database
  accountId: string
  tables: readonly OwnTable[]
  clock: Parameters<typeof finishStep>[1]
  /** Done in the transaction that deletes the account itself. */
  last?(tx: Tx): Promise<void>
}

/** Rows deleted in a transaction. */
const SLICE = 1_000

/** In the last transaction: what the others are found by. */
const LAST = new Set(['accounts', 'people', 'memberships', 'wallets'])

/**
 * Deletes an account and all that belongs to it, in slices, the account itself last: what was interrupted can be gone on
 * with. People who are in other accounts stay.
 */
export async function removeAccount({
  database,
  accountId,
  tables,
  clock,
  last,
}: RemoveOptions): Promise<void> {
  const first = tables.filter(({ name, shared }) => !LAST.has(name) && !shared).toReversed()
  for (const table of [...first.filter(isFoundByOthers), ...first.filter((table) => !isFoundByOthers(table))])
    await finishStep(() => database.write((tx) => removeSlice(tx, table), { patient: true }), clock)
  await database.write(async (tx) => {
    await removeLast(tx, accountId)
    await last?.(tx)
  })
}

/** Whether rows of other tables say that these are the account's. */
function isFoundByOthers({ where }: OwnTable): boolean {
  return where?.text.includes('SELECT') ?? false
}

async function removeSlice({ run }: Tx, { name, key, where }: OwnTable): Promise<boolean> {
  const columns = key.join(', ')
  const deleted = await run(
    `DELETE FROM ${name} WHERE (${columns}) IN (SELECT ${columns} FROM ${name} WHERE ${where?.text} LIMIT ${SLICE}) RETURNING 1 AS one`,
    where?.values ?? [],
  )
  return deleted.length === SLICE
}

async function removeLast({ run }: Tx, accountId: string): Promise<void> {
  const alone = await run<{ id: string }>(
    `SELECT person_id AS id FROM memberships m WHERE account_id = $1
       AND NOT EXISTS (SELECT 1 FROM memberships o WHERE o.person_id = m.person_id AND o.account_id <> m.account_id)`,
    [accountId],
  )
  const ids = JSON.stringify(alone.map(({ id }) => id))
  const among = 'IN (SELECT json_array_elements_text($1))'
  await run('DELETE FROM portal_sessions WHERE account_id = $1', [accountId])
  for (const factor of ['passkeys', 'code_generators', 'recovery_codes', 'one_time_links'])
    await run(`DELETE FROM ${factor} WHERE owner_kind = 'person' AND owner_id ${among}`, [ids])
  await run('DELETE FROM memberships WHERE account_id = $1', [accountId])
  await run(`DELETE FROM people WHERE id ${among}`, [ids])
  await run('DELETE FROM wallets WHERE account_id = $1', [accountId])
  await run('DELETE FROM accounts WHERE id = $1', [accountId])
}
