import type { Micros } from '@wigwag/contract'
import type { EpochMs, Ticket } from '../../domain/ids.ts'
import type { Status } from '../../domain/message.ts'
import type { Tx } from '../../platform/database/database.ts'
import type { JobKind } from '../../platform/jobs/outbox.ts'

/** A message whose carrier never said whether it took all of it. */
export interface UncertainMessage {
  ticket: Ticket
  carrier: string
  accountId: string
  recipient: string
  createdAt: EpochMs
  expiresAt: number
}

/**
 * Messages that were handed over and got no answer. Those under way are left out. A message leaves this list by a late
 * answer, a receipt, an operator's decision, or the end of its validity.
 */
export function uncertainMessages({ run }: Tx, now: EpochMs, limit: number): Promise<UncertainMessage[]> {
  return run(
    `SELECT o.id AS ticket, o.lane AS carrier, m.account_id AS "accountId", m.recipient, m.created_at AS "createdAt",
       o.expires_at AS "expiresAt"
     FROM outbox o JOIN messages m ON m.id = o.id
     WHERE o.kind = 'await' AND o.submitted_at = 0 AND o.lease_until <= $1 ORDER BY o.id LIMIT ${limit}`,
    [now],
  )
}

/** Whether a message is one of them. Locks its job, so that it stays so until the transaction ends. */
export async function lockUncertain({ run, locks }: Tx, ticket: string, now: EpochMs): Promise<boolean> {
  const rows = await run(
    `SELECT id FROM outbox
     WHERE id = $1 AND kind = 'await' AND submitted_at = 0 AND lease_until <= $2 ${locks.forUpdate}`,
    [ticket, now],
  )
  return rows.length > 0
}

/** A message as an operator sees it. */
export interface Standing {
  accountId: string
  status: Status
  /** Why it ended, as its carrier said it: for the operator. */
  failureReason: string | null
  price: Micros
  /** What was charged. */
  cost: Micros
  currency: string
  /** The step that it waits for; undefined when it is final. */
  kind: JobKind | undefined
  /** The carrier that has it or shall get it; empty when there is none. */
  carrier: string
  /** When its carrier took it; 0 when that has not happened, or is not known. */
  submittedAt: number
  /** A process is working on it now. */
  isHeld: boolean
}

/** Undefined when there is no such message. */
export async function standingOf({ run }: Tx, ticket: string, now: EpochMs): Promise<Standing | undefined> {
  const [row] = await run<Omit<Standing, 'kind' | 'isHeld'> & { kind: JobKind | null; leaseUntil: number }>(
    `SELECT m.account_id AS "accountId", m.status, m.failure_reason AS "failureReason", m.price, m.cost, w.currency, o.kind,
       coalesce(o.lane, '') AS carrier, coalesce(o.submitted_at, 0) AS "submittedAt",
       coalesce(o.lease_until, 0) AS "leaseUntil"
     FROM messages m JOIN wallets w ON w.id = m.wallet_id LEFT JOIN outbox o ON o.id = m.id WHERE m.id = $1`,
    [ticket],
  )
  if (!row) return undefined
  const { kind, leaseUntil, ...rest } = row
  return { ...rest, kind: kind ?? undefined, isHeld: leaseUntil > now }
}

/** How many messages are uncertain, by carrier. */
export function countUncertain({ run }: Tx, now: EpochMs): Promise<{ carrier: string; count: number }[]> {
  return run(
    `SELECT lane AS carrier, count(*) AS count FROM outbox
     WHERE kind = 'await' AND submitted_at = 0 AND lease_until <= $1 GROUP BY lane`,
    [now],
  )
}
