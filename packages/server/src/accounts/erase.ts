import { eq } from 'drizzle-orm'
import type { Tx } from '../platform/database/database.ts'
import type { AccountRow } from './accounts.ts'

/** Replaces an erased account's e-mail address. Addresses are unique, and no real one looks like this. */
const addressOf = (id: string) => `erased:${id}`

export function isErased({ id, email }: Pick<AccountRow, 'id' | 'email'>): boolean {
  return email === addressOf(id)
}

/** Deletes an account's keys, clients and sender IDs, and empties its own row. Its wallets and their ledger stay. */
export async function eraseAccountRows({ db, t }: Tx, id: string): Promise<void> {
  await db.delete(t.keys).where(eq(t.keys.accountId, id))
  await db.delete(t.clients).where(eq(t.clients.accountId, id))
  await db.delete(t.senderIds).where(eq(t.senderIds.accountId, id))
  const erased = { name: 'erased', email: addressOf(id) }
  await db.update(t.accounts).set(erased).where(eq(t.accounts.id, id))
}
