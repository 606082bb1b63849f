import { and, eq } from 'drizzle-orm'
import type { Connection } from './database.ts'

/** What holds for the whole installation, by name. */
export type SettingName =
  | 'rates_version'
  | 'rates_sample'
  | 'demo'
  | 'oauth_keys'
  | 'sign_in_turn'
  | 'sandbox_secret'

export async function readSetting({ db, t }: Connection, name: SettingName): Promise<string | undefined> {
  const [row] = await db.select().from(t.settings).where(eq(t.settings.name, name))
  return row?.value
}

export async function writeSetting({ db, t }: Connection, name: SettingName, value: string): Promise<void> {
  await db
    .insert(t.settings)
    .values({ name, value })
    .onConflictDoUpdate({ target: t.settings.name, set: { value } })
}

/** Writes a setting that is not there yet, and says whether it did. Of several that try at once, one does. */
export async function claimSetting(
  { db, t }: Connection,
  name: SettingName,
  value: string,
): Promise<boolean> {
  const rows = await db.insert(t.settings).values({ name, value }).onConflictDoNothing().returning()
  return rows.length > 0
}

/** Puts a value in the place of the one that was read, and says whether that was still there. */
export async function replaceSetting(
  { db, t }: Connection,
  name: SettingName,
  { from, to }: { from: string; to: string },
): Promise<boolean> {
  const rows = await db
    .update(t.settings)
    .set({ value: to })
    .where(and(eq(t.settings.name, name), eq(t.settings.value, from)))
    .returning()
  return rows.length > 0
}
