import { and, eq } from 'drizzle-orm'
import type { Tx } from './database.ts'

/** The names of the settings stored for the whole installation. */
export type SettingName =
  | 'environment'
  | 'cell'
  | 'rates_version'
  | 'rates_sample'
  | 'demo'
  | 'oauth_keys'
  | 'sign_in_turn'
  | 'code_turn'
  | 'sandbox_secret'
  | 'carriers_reload'
  | 'sandbox_clock'
  | 'clock_set_back'
  | 'moving'
  | 'moved'
  | 'secret_mark'
  | 'secret_mark_before'
  | 'write_probe'
  | 'messages_kept_since'
  | 'alerts_looked_at'
  | 'account_alerts_after'
  | `moving:${string}`

/** The value of a setting; undefined when it is not set. */
export async function readSetting({ db, t }: Tx, name: SettingName): Promise<string | undefined> {
  const [row] = await db.select().from(t.settings).where(eq(t.settings.name, name))
  return row?.value
}

/** Sets a setting, replacing any old value. */
export async function writeSetting({ run }: Tx, name: SettingName, value: string): Promise<void> {
  await run(
    'INSERT INTO settings (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
    [name, value],
  )
}

export async function removeSetting({ db, t }: Tx, name: SettingName): Promise<void> {
  await db.delete(t.settings).where(eq(t.settings.name, name))
}

/** Writes a setting unless it exists. True for exactly one of several concurrent callers. */
export async function claimSetting({ run }: Tx, name: SettingName, value: string): Promise<boolean> {
  const rows = await run(
    'INSERT INTO settings (name, value) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING name',
    [name, value],
  )
  return rows.length > 0
}

/** Replaces a setting if it still has the value that was read. True if it did. */
export async function replaceSetting(
  { db, t }: Tx,
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

/** Adds to a setting that holds a number, 0 when it is not set. Returns the sum. */
export async function addToSetting({ run }: Tx, name: SettingName, amount: number): Promise<number> {
  const [row] = await run<{ value: string }>(
    `INSERT INTO settings (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE
     SET value = CAST(CAST(settings.value AS BIGINT) + CAST(excluded.value AS BIGINT) AS TEXT) RETURNING value`,
    [name, String(amount)],
  )
  return Number(row?.value)
}

/** Raises a setting that holds a number; a higher one stays. */
export async function raiseSetting({ run }: Tx, name: SettingName, to: number): Promise<void> {
  await run(
    `INSERT INTO settings (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value
     WHERE CAST(settings.value AS BIGINT) < CAST(excluded.value AS BIGINT)`,
    [name, String(to)],
  )
}

/** How far the clock of a sandbox's database is ahead of the real time. */
export async function aheadOf(tx: Tx): Promise<number> {
  return Number((await readSetting(tx, 'sandbox_clock')) ?? 0)
}
