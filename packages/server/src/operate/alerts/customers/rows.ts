import { and, desc, eq, gt, inArray, isNotNull, isNull, lte, or } from 'drizzle-orm'
import { type EpochMs, epochMs } from '../../../kernel/ids.ts'
import { DAY_MS } from '../../../kernel/time/spans.ts'
import type { Tx } from '../../../store/database.ts'
import { insertRows, type Update, updateRows } from '../../../store/rows.ts'
import type { Tables } from '../../../store/schema/schema.ts'
import { deleteSlice } from '../../../store/slices.ts'
import type { AlertRow, NextAlerts } from '../next.ts'

/** Accounts in the order of their ids: after one, up to another. */
export interface Stretch {
  after: string
  upTo: string
}

export type AccountAlert = Tables['accountAlerts']['$inferSelect']

/** For so long a customer sees what is over. */
export const SHOWN_MS = 30 * DAY_MS
const MOST_SHOWN = 100

/** The alerts that are there for some accounts, told or not; a new address, which has its end already, is none of them. */
export async function alertsThere({ run }: Tx, { after, upTo }: Stretch): Promise<AccountAlert[]> {
  return run(
    `SELECT r.id, r.account_id AS "accountId", r.key, r.text, r.seen_at AS "seenAt", r.told_at AS "toldAt",
       r.gone_at AS "goneAt", r.over_at AS "overAt"
     FROM account_alerts r JOIN accounts a ON a.id = r.account_id AND a.status = 'active'
     WHERE r.over_at IS NULL AND r.account_id > $1 AND r.account_id <= $2`,
    [after, upTo],
  )
}

/** A row as the rule of alerts takes it. */
export function asAlert({ id: _, overAt: __, ...row }: AccountAlert): AlertRow {
  return { ...row, state: 'warn' }
}

const CHANGED: Update<'id', 'text' | 'toldAt' | 'goneAt' | 'overAt'> = {
  by: ['id'],
  set: ['text', 'toldAt', 'goneAt', 'overAt'],
}

/** Stores what a look changes. An alert that was told stays when it is over. */
export async function storeChanges(
  tx: Tx,
  rows: readonly AccountAlert[],
  { kept, removed }: NextAlerts,
  newId: () => string,
): Promise<void> {
  const before = new Map(rows.map((row) => [row.key, row]))
  const changed: AccountAlert[] = []
  const added: AccountAlert[] = []
  for (const { key, text, accountId, seenAt, toldAt, goneAt } of kept) {
    const row = before.get(key)
    if (row) changed.push({ ...row, text, toldAt, goneAt })
    else if (accountId !== null)
      added.push({ id: newId(), accountId, key, text, seenAt, toldAt, goneAt, overAt: null })
  }
  const gone = removed.flatMap((key) => before.get(key) ?? [])
  for (const row of gone) if (row.toldAt !== null) changed.push({ ...row, overAt: row.goneAt })
  await insertRows(tx, tx.t.accountAlerts, added)
  await updateRows(tx, tx.t.accountAlerts, changed, CHANGED)
  const unheard = gone.filter(({ toldAt }) => toldAt === null).map(({ id }) => id)
  if (unheard.length > 0)
    await tx.db.delete(tx.t.accountAlerts).where(inArray(tx.t.accountAlerts.id, unheard))
}

/** The alerts of an account, the newest first: what is there, and what was. */
export interface AlertsOfAccount {
  there: AccountAlert[]
  before: AccountAlert[]
}

export async function alertsOf({ db, t }: Tx, accountId: string, now: EpochMs): Promise<AlertsOfAccount> {
  const { accountAlerts: alerts } = t
  const told = and(eq(alerts.accountId, accountId), isNotNull(alerts.toldAt))
  const read = (when: ReturnType<typeof or>) =>
    db
      .select()
      .from(alerts)
      .where(and(told, when))
      .orderBy(desc(alerts.seenAt), desc(alerts.id))
      .limit(MOST_SHOWN)
  return {
    there: await read(or(isNull(alerts.overAt), gt(alerts.overAt, now))),
    before: await read(and(lte(alerts.overAt, now), gt(alerts.overAt, epochMs(now - SHOWN_MS)))),
  }
}

/** How many alerts are there for an account, counted up to a limit. */
export async function countAlerts(
  { run }: Tx,
  accountId: string,
  now: EpochMs,
  limit: number,
): Promise<number> {
  const [row] = await run<{ count: number }>(
    `SELECT count(*) AS count FROM (SELECT 1 FROM account_alerts
       WHERE account_id = $1 AND told_at IS NOT NULL AND (over_at IS NULL OR over_at > $2) LIMIT $3) AS there`,
    [accountId, now, limit],
  )
  return row?.count ?? 0
}

/** Ends what is there of some kinds, because nobody wants to be told of it any more. */
export async function endAlerts({ run }: Tx, accountId: string, kind: string, now: EpochMs): Promise<void> {
  const keys = `${kind}:%`
  await run(
    'DELETE FROM account_alerts WHERE account_id = $1 AND over_at IS NULL AND key LIKE $2 AND told_at IS NULL',
    [accountId, keys],
  )
  await run(
    'UPDATE account_alerts SET gone_at = $1, over_at = $2 WHERE account_id = $3 AND over_at IS NULL AND key LIKE $4',
    [now, now, accountId, keys],
  )
}

/** Ends the alert of a new address, which somebody knows. Its text; undefined when it is not there. */
export async function endAddress(
  { run }: Tx,
  accountId: string,
  id: string,
  now: EpochMs,
): Promise<string | undefined> {
  // PostgreSQL rejects zero characters, and no id contains one.
  if (id.includes('\0')) return undefined
  const [row] = await run<{ key: string }>(
    `UPDATE account_alerts SET over_at = $1 WHERE account_id = $2 AND id = $3 AND key LIKE 'address:%' AND over_at > $4
     RETURNING key`,
    [now, accountId, id, now],
  )
  return row?.key
}

/** Deletes a slice of the alerts that were over before a time. True if there may be more. */
export function pruneAccountAlerts(tx: Tx, before: EpochMs): Promise<boolean> {
  return deleteSlice(tx, {
    table: 'account_alerts',
    key: 'id',
    where: 'over_at < $1',
    values: [before],
    orderBy: 'over_at',
  })
}
