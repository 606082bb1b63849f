import { asc } from 'drizzle-orm'
import type { EpochMs } from '../../kernel/ids.ts'
import type { Tx } from '../../store/database.ts'
import { inChunks, placeholders } from '../../store/rows.ts'
import { claimSetting, readSetting, replaceSetting } from '../../store/settings.ts'
import type { AlertRow, NextAlerts } from './next.ts'

export function alertRows({ db, t }: Tx): Promise<AlertRow[]> {
  return db.select().from(t.alerts).orderBy(asc(t.alerts.key))
}

/** Since when the gateways see each trouble, by its key. */
export async function alertsSince(tx: Tx): Promise<Map<string, EpochMs>> {
  return new Map((await alertRows(tx)).map(({ key, seenAt }) => [key, seenAt]))
}

export async function storeAlerts(tx: Tx, { kept, removed }: NextAlerts): Promise<void> {
  for (const { key, state, text, accountId, seenAt, toldAt, goneAt } of kept)
    await tx.run(
      `INSERT INTO alerts (key, state, text, account_id, seen_at, told_at, gone_at) VALUES ($1, $2, $3, $4, $5, $6, $7)
       ON CONFLICT (key) DO UPDATE SET state = excluded.state, text = excluded.text, account_id = excluded.account_id,
         told_at = excluded.told_at, gone_at = excluded.gone_at`,
      [key, state, text, accountId, seenAt, toldAt, goneAt],
    )
  await inChunks(removed, async (chunk) => {
    await tx.run(`DELETE FROM alerts WHERE key IN ${placeholders(1, chunk.length)}`, chunk)
  })
}

const TURN = 'alerts_looked_at'

/** When a gateway looked last; undefined when none has. */
export async function lastLook(tx: Tx): Promise<string | undefined> {
  return readSetting(tx, TURN)
}

/** Takes the next look, if no other gateway has taken it since `last`. Exactly one of several gets it. */
export function takeLook(tx: Tx, last: string | undefined, now: EpochMs): Promise<boolean> {
  if (last === undefined) return claimSetting(tx, TURN, String(now))
  return replaceSetting(tx, TURN, { from: last, to: String(now) })
}

/** Whether nobody has looked since this look was taken. Until the transaction ends, nobody does. */
export function holdLook(tx: Tx, taken: EpochMs): Promise<boolean> {
  return replaceSetting(tx, TURN, { from: String(taken), to: String(taken) })
}
