import { desc, inArray } from 'drizzle-orm'
import type { Connection } from './database.ts'
import type { Tables } from './schema.ts'

export type OauthKeyRow = Tables['oauthKeys']['$inferSelect']

/** The keys of the authorization server, the newest first. */
export function listKeys({ db, t }: Connection): Promise<OauthKeyRow[]> {
  return db.select().from(t.oauthKeys).orderBy(desc(t.oauthKeys.createdAt), desc(t.oauthKeys.id))
}

export async function addKey({ db, t }: Connection, key: OauthKeyRow): Promise<void> {
  await db.insert(t.oauthKeys).values(key)
}

export async function removeKeys({ db, t }: Connection, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await db.delete(t.oauthKeys).where(inArray(t.oauthKeys.id, [...ids]))
}
