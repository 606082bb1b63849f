import { and, asc, eq, getTableColumns } from 'drizzle-orm'
import type { Parts } from '../flow/parts.ts'
import { Problem } from '../kernel/errors.ts'
import type { EpochMs } from '../kernel/ids.ts'
import type { Principal } from '../kernel/principal.ts'
import { checkSender } from '../kernel/sent-fields.ts'
import { auditWrites } from '../store/audit/index.ts'
import type { Tx } from '../store/database.ts'
import { placeholders } from '../store/rows.ts'
import type { Tables } from '../store/schema/schema.ts'

export type SenderRow = Tables['senderIds']['$inferSelect']

/** An operator reads each of them. */
const MOST_WAITING = 20

/** The sender IDs of an account, and requests for more. */
export class SenderRequests {
  readonly #parts: Pick<Parts, 'database' | 'clock' | 'newId'>

  constructor(parts: Pick<Parts, 'database' | 'clock' | 'newId'>) {
    this.#parts = parts
  }

  list(accountId: string): Promise<SenderRow[]> {
    return this.#parts.database.read((tx) => sendersOf(tx, accountId))
  }

  /** Asks for a sender ID. An existing one stays as it is. */
  async request(principal: Principal, sender: string): Promise<SenderRow> {
    checkSender(sender)
    const { database, clock, newId } = this.#parts
    const { accountId } = principal
    return database.write(async (tx) => {
      const now = clock.now()
      const added = await addSender(tx, { accountId, sender, status: 'pending', createdAt: now })
      const all = await sendersOf(tx, accountId)
      const found = all.find((row) => row.sender === sender)
      if (!found) throw new Error(`the sender ID ${sender} is not there after it was asked for`)
      if (!added) return found
      if (all.filter(({ status }) => status === 'pending').length > MOST_WAITING) throw tooMany()
      const write = {
        principal,
        operation: 'requestSenderId',
        outcome: 'done',
        about: sender,
        always: true,
      } as const
      await auditWrites(tx, [write], now, newId)
      return found
    })
  }
}

function tooMany(): Problem {
  const detail = `Expected at most ${MOST_WAITING} sender IDs that wait for approval: ask the operator to decide on some.`
  return new Problem('too_many', detail)
}

export function sendersOf({ db, t }: Tx, accountId: string): Promise<SenderRow[]> {
  return db
    .select()
    .from(t.senderIds)
    .where(eq(t.senderIds.accountId, accountId))
    .orderBy(asc(t.senderIds.sender))
}

/** A sender ID with the account that has it. */
export interface OwnedSender extends SenderRow {
  email: string
}

/** The sender IDs of an account, or of all; the longest waiting first. */
export function listSenders(
  { db, t }: Tx,
  { accountId, status }: { accountId: string | undefined; status: SenderRow['status'] | undefined },
): Promise<OwnedSender[]> {
  const { senderIds, accounts } = t
  return db
    .select({ ...getTableColumns(senderIds), email: accounts.email })
    .from(senderIds)
    .innerJoin(accounts, eq(accounts.id, senderIds.accountId))
    .where(
      and(
        accountId === undefined ? undefined : eq(senderIds.accountId, accountId),
        status && eq(senderIds.status, status),
      ),
    )
    .orderBy(asc(senderIds.createdAt), asc(senderIds.sender))
}

/** A sender ID that waits, by which the next page begins. */
export type SenderPlace = Pick<SenderRow, 'createdAt' | 'accountId' | 'sender'>

/** A sender ID with the name of the account that has it. */
export interface NamedSender extends SenderRow {
  name: string
}

/** The sender IDs that wait for a decision, after one of them; the longest waiting first. */
export function waitingSenders(
  { run }: Tx,
  { after, limit }: { after: SenderPlace | undefined; limit: number },
): Promise<NamedSender[]> {
  const start = after ? [after.createdAt, after.accountId, after.sender] : []
  return run<NamedSender>(
    `SELECT ${NAMED} FROM sender_ids s JOIN accounts a ON a.id = s.account_id
     WHERE s.status = 'pending' ${after ? 'AND (s.created_at, s.account_id, s.sender) > ($1, $2, $3)' : ''}
     ORDER BY s.created_at, s.account_id, s.sender LIMIT $${start.length + 1}`,
    [...start, limit],
  )
}

/** Since when the first of the sender IDs that wait for a decision waits; undefined when none does. */
export async function oldestWaitingSender({ run }: Tx): Promise<EpochMs | undefined> {
  const [row] = await run<{ at: EpochMs }>(
    `SELECT created_at AS at FROM sender_ids WHERE status = 'pending' ORDER BY created_at LIMIT 1`,
    [],
  )
  return row?.at
}

/** How many sender IDs wait for a decision. */
export async function countWaitingSenders({ run }: Tx): Promise<number> {
  const [row] = await run<{ count: number }>(
    `SELECT count(*) AS count FROM sender_ids WHERE status = 'pending'`,
    [],
  )
  return Number(row?.count)
}

const NAMED = `s.account_id AS "accountId", s.sender, s.status, s.reason, s.created_at AS "createdAt", a.name`
const START = 'lower(substr(s.sender, 1, 4))'
const MOST_ALIKE = 500

/**
 * Sender IDs that look like one of these: equal but for capitals or, for names, with the same first four
 * letters. Equal ones come first, these themselves included. Numbers are only compared whole, because all
 * numbers of a country begin alike.
 */
export async function sendersAlike({ run }: Tx, senders: readonly string[]): Promise<NamedSender[]> {
  if (senders.length === 0) return []
  const wholes = senders.map((sender) => sender.toLowerCase())
  const starts = wholes.map(senderStart)
  const startsOfNames = wholes.map((whole) => (isNumber(whole) ? '' : senderStart(whole)))
  const list = (taken: number) => placeholders(1, senders.length, undefined, taken)
  const isSame = (taken: number) => `lower(s.sender) IN ${list(taken * senders.length)}`
  return run<NamedSender>(
    `SELECT ${NAMED} FROM sender_ids s JOIN accounts a ON a.id = s.account_id
     WHERE ${START} IN ${list(0)} AND (${isSame(1)} OR ${START} IN ${list(2 * senders.length)})
     ORDER BY CASE WHEN ${isSame(3)} THEN 0 ELSE 1 END, s.status, s.created_at, s.sender LIMIT ${MOST_ALIKE}`,
    [...starts, ...wholes, ...startsOfNames, ...wholes],
  )
}

/** The first four letters: names that share them look alike. */
export function senderStart(sender: string): string {
  return sender.slice(0, 4).toLowerCase()
}

function isNumber(sender: string): boolean {
  return /^\d+$/.test(sender)
}

export interface SenderDecision extends Pick<SenderRow, 'accountId' | 'sender' | 'status'> {
  /** Why it is rejected, for the customer. */
  reason?: string | undefined
}

/** False when nothing changed: it is so already. */
export async function setSenderStatus(
  { run }: Tx,
  { accountId, sender, status, reason }: SenderDecision,
  now: EpochMs,
): Promise<boolean> {
  const changed = await run(
    `INSERT INTO sender_ids (account_id, sender, status, reason, created_at) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (account_id, sender) DO UPDATE SET status = excluded.status, reason = excluded.reason
     WHERE sender_ids.status <> excluded.status OR coalesce(sender_ids.reason, '') <> coalesce(excluded.reason, '')
     RETURNING sender`,
    [accountId, sender, status, reason ?? null, now],
  )
  return changed.length > 0
}

/** Decides on a sender ID while its status is still the one that was seen. False when it is not. */
export async function decideSender(
  { run }: Tx,
  { accountId, sender, status, reason }: SenderDecision,
  seen: SenderRow['status'],
): Promise<boolean> {
  const changed = await run(
    `UPDATE sender_ids SET status = $1, reason = $2
     WHERE account_id = $3 AND sender = $4 AND status = $5 RETURNING sender`,
    [status, reason ?? null, accountId, sender, seen],
  )
  return changed.length > 0
}

/** Adds a sender ID unless the account has it. True if it was added. */
async function addSender({ run }: Tx, row: Omit<SenderRow, 'reason'>): Promise<boolean> {
  const { accountId, sender, status, createdAt } = row
  const added = await run(
    `INSERT INTO sender_ids (account_id, sender, status, created_at) VALUES ($1, $2, $3, $4)
     ON CONFLICT (account_id, sender) DO NOTHING RETURNING sender`,
    [accountId, sender, status, createdAt],
  )
  return added.length > 0
}
