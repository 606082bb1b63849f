import { type Micros, ZERO } from '@wigwag/contract'
import type { EpochMs } from '../kernel/ids.ts'
import type { DailyUse } from '../kernel/money/daily-use.ts'
import { utcDay } from '../kernel/time/spans.ts'
import type { Allowance, SharedLimit } from '../messages/sending/index.ts'
import type { Tx } from '../store/database.ts'
import { inChunks, placeholders } from '../store/rows.ts'

/** Locks connections until the transaction ends, in the order of their ids. Returns what each may send. */
export async function lockAllowances(tx: Tx, ids: readonly string[], now: EpochMs): Promise<Allowance[]> {
  return allowancesOf(tx, ids, now, tx.locks.forUpdate)
}

type Row = Omit<Allowance, 'shared'> & { accountId: string; personId: string }

/** The current allowances of connections. */
export async function allowancesOf(
  tx: Tx,
  ids: readonly string[],
  now: EpochMs,
  lock = '',
): Promise<Allowance[]> {
  const sorted = [...ids].sort()
  const shared = await sharedLimits(tx, sorted, now, lock)
  const found: Allowance[] = []
  await inChunks(sorted, async (chunk) => {
    const rows = await tx.run<Row>(
      `SELECT id, account_id AS "accountId", person_id AS "personId", can_send AS "canSend",
         daily_spend AS "dailySpend", daily_messages AS "dailyMessages", recipients, day, day_spend AS "daySpend",
         day_messages AS "dayMessages", ended_at AS "endedAt"
       FROM connections WHERE id IN ${placeholders(1, chunk.length)} ORDER BY id ${lock}`,
      chunk,
    )
    for (const { accountId, personId, ...row } of rows) {
      const mine = [accountId, `${accountId} ${personId}`]
      found.push({ ...row, shared: shared.filter(({ id }) => mine.includes(id)) })
    }
  })
  return found
}

/**
 * The shared daily limits of these connections' people and accounts, where one is set. With a lock, accounts
 * are locked before connections, so that use by any gateway meanwhile is counted.
 */
async function sharedLimits(
  tx: Tx,
  ids: readonly string[],
  now: EpochMs,
  lock: string,
): Promise<SharedLimit[]> {
  const limits: SharedLimit[] = []
  await inChunks([...ids], async (chunk) => {
    const rows = await tx.run<LimitRow>(
      `SELECT DISTINCT ${LIMITS}
         JOIN connections c ON c.account_id = m.account_id AND c.person_id = m.person_id
       WHERE c.id IN ${placeholders(1, chunk.length)} AND (a.assistants_spend IS NOT NULL
         OR a.assistants_messages IS NOT NULL OR m.assistants_spend IS NOT NULL
         OR m.assistants_messages IS NOT NULL)
       ORDER BY a.id, p.id`,
      chunk,
    )
    for (const row of rows) {
      const known = new Set(limits.map(({ id }) => id))
      limits.push(...(await limitsOf(tx, row, now, lock)).filter(({ id }) => !known.has(id)))
    }
  })
  return limits
}

/** The daily limits that all assistants of a person, and of their account, share. Empty where none is set. */
export async function sharedWith(
  tx: Tx,
  { accountId, personId }: { accountId: string; personId: string },
  now: EpochMs,
): Promise<SharedLimit[]> {
  const [row] = await tx.run<LimitRow>(`SELECT ${LIMITS} WHERE m.account_id = $1 AND m.person_id = $2`, [
    accountId,
    personId,
  ])
  return row ? limitsOf(tx, row, now, '') : []
}

/** The limits set for people and their accounts. */
const LIMITS = `a.id AS "accountId", p.id AS "personId", p.email, a.assistants_spend AS "accountSpend",
    a.assistants_messages AS "accountMessages", m.assistants_spend AS "personSpend",
    m.assistants_messages AS "personMessages"
  FROM memberships m JOIN accounts a ON a.id = m.account_id JOIN people p ON p.id = m.person_id`

interface LimitRow {
  accountId: string
  personId: string
  email: string
  accountSpend: Micros | null
  accountMessages: number | null
  personSpend: Micros | null
  personMessages: number | null
}

async function limitsOf(tx: Tx, row: LimitRow, now: EpochMs, lock: string): Promise<SharedLimit[]> {
  const { accountId, personId, email } = row
  // One row of the account orders all who share a limit in it.
  if (lock !== '') await tx.run(`SELECT id FROM accounts WHERE id = $1 ${lock}`, [accountId])
  const limits: SharedLimit[] = []
  if (row.accountSpend !== null || row.accountMessages !== null) {
    const used = await usedBy(tx, { accountId }, now)
    const whose = 'This account, with all its assistants,'
    limits.push({ id: accountId, whose, ...bounds(row.accountSpend, row.accountMessages), used })
  }
  if (row.personSpend !== null || row.personMessages !== null) {
    const used = await usedBy(tx, { accountId, personId }, now)
    const [id, whose] = [`${accountId} ${personId}`, `${email}, with all their assistants,`]
    limits.push({ id, whose, ...bounds(row.personSpend, row.personMessages), used })
  }
  return limits
}

function bounds(spend: Micros | null, messages: number | null) {
  return { dailySpend: spend ?? undefined, dailyMessages: messages ?? undefined }
}

/** Today's use by all assistants of an account, or of one of its people, including connections that ended. */
async function usedBy(
  { run }: Tx,
  { accountId, personId }: { accountId: string; personId?: string },
  now: EpochMs,
): Promise<DailyUse> {
  const day = utcDay(now)
  const [sum] = await run<{ spent: Micros; messages: number }>(
    `SELECT CAST(coalesce(sum(day_spend), 0) AS BIGINT) AS spent,
       CAST(coalesce(sum(day_messages), 0) AS BIGINT) AS messages
     FROM connections WHERE account_id = $1 AND day = $2 ${personId === undefined ? '' : 'AND person_id = $3'}`,
    [accountId, day, ...(personId === undefined ? [] : [personId])],
  )
  return { day, spent: sum?.spent ?? ZERO, messages: sum?.messages ?? 0 }
}

/** Stores what a locked connection has used of its daily limits. */
export async function setDay({ run }: Tx, id: string, { day, spent, messages }: DailyUse): Promise<void> {
  await run('UPDATE connections SET day = $1, day_spend = $2, day_messages = $3 WHERE id = $4', [
    day,
    spent,
    messages,
    id,
  ])
}
