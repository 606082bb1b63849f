import type { Micros } from '@wigwag/contract'
import type { JobKind } from '../../flow/jobs/outbox.ts'
import type { EpochMs, Ticket } from '../../kernel/ids.ts'
import type { Status } from '../../kernel/message.ts'
import type { Tx, Value } from '../../store/database.ts'
import { inChunks, placeholders } from '../../store/rows.ts'

/** How an operator may decide that an uncertain message ended. */
export type SettledAs = 'success' | 'failed'

/** A message whose carrier never said whether it took all of it. */
export interface UncertainMessage {
  ticket: Ticket
  carrier: string
  accountId: string
  sender: string
  recipient: string
  /** The amount held for it. */
  price: Micros
  currency: string
  createdAt: EpochMs
  /** When it was submitted. */
  handedAt: number
  expiresAt: number
}

/** Which uncertain messages. A message must match all conditions. */
export interface WhichUncertain {
  carrier?: string | undefined
  /** Submitted at this time or later. */
  since?: EpochMs | undefined
  /** Submitted before this time. */
  before?: EpochMs | undefined
}

const UNCERTAIN = `o.kind = 'await' AND o.submitted_at = 0 AND o.lease_until <= $1`

const LISTED = `SELECT o.id AS ticket, o.lane AS carrier, m.account_id AS "accountId", m.sender, m.recipient, m.price,
    w.currency, m.created_at AS "createdAt", o.handed_at AS "handedAt", o.expires_at AS "expiresAt"
  FROM outbox o JOIN messages m ON m.id = o.id JOIN wallets w ON w.id = m.wallet_id`

/**
 * Messages that were handed over and got no answer, oldest first, all or after a ticket. Leaves out messages
 * that a process works on. A message leaves this list by a late answer, a receipt, an operator's decision, or
 * the end of its validity.
 */
export function uncertainMessages(
  { run }: Tx,
  now: EpochMs,
  limit: number,
  { after = '', ...which }: WhichUncertain & { after?: string | undefined } = {},
): Promise<UncertainMessage[]> {
  const { text, values } = conditionsOf(now, which)
  return run(`${LISTED} WHERE ${text} AND o.id > $${values.length + 1} ORDER BY o.id LIMIT ${limit}`, [
    ...values,
    after,
  ])
}

/** The uncertain messages among these tickets. */
export async function uncertainAmong(
  { run }: Tx,
  now: EpochMs,
  tickets: readonly string[],
): Promise<UncertainMessage[]> {
  const found: UncertainMessage[] = []
  await inChunks(tickets, async (chunk) => {
    const ids = placeholders(1, chunk.length, undefined, 1)
    found.push(
      ...(await run<UncertainMessage>(`${LISTED} WHERE ${UNCERTAIN} AND o.id IN ${ids}`, [now, ...chunk])),
    )
  })
  return found
}

/** How many uncertain messages a carrier has, and what is held for them in one currency. */
export interface UncertainSum {
  carrier: string
  currency: string
  messages: number
  held: Micros
}

/** Adds up uncertain messages. PostgreSQL returns sums as text, so they are cast. */
export function sumUncertain({ run }: Tx, now: EpochMs, which: WhichUncertain): Promise<UncertainSum[]> {
  const { text, values } = conditionsOf(now, which)
  return run(
    `SELECT o.lane AS carrier, w.currency, count(*) AS messages, CAST(sum(m.price) AS BIGINT) AS held
     FROM outbox o JOIN messages m ON m.id = o.id JOIN wallets w ON w.id = m.wallet_id
     WHERE ${text} GROUP BY o.lane, w.currency ORDER BY o.lane, w.currency`,
    values,
  )
}

function conditionsOf(
  now: EpochMs,
  { carrier, since, before }: WhichUncertain,
): { text: string; values: Value[] } {
  const values: Value[] = [now]
  const more = [
    ['o.lane =', carrier],
    ['o.handed_at >=', since],
    ['o.handed_at <', before],
  ] as const
  const conditions = more.flatMap(([what, value]) =>
    value === undefined ? [] : `${what} $${values.push(value)}`,
  )
  return { text: [UNCERTAIN, ...conditions].join(' AND '), values }
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
  price: Micros
  /** The amount charged. */
  cost: Micros
  currency: string
  /** The step that it waits for; undefined when it is final. */
  kind: JobKind | undefined
  /** The carrier that has it, had it or shall get it; empty when there is none. */
  carrier: string
  /** When it was submitted; 0 when that has not happened, or is not known. */
  handedAt: number
  /** A process is working on it now. */
  isHeld: boolean
  /** Its carrier never said whether it took it. */
  isUncertain: boolean
}

type StandingRow = Omit<Standing, 'kind' | 'isHeld' | 'isUncertain'> & {
  kind: JobKind | null
  leaseUntil: number
  submittedAt: number
}

/** Undefined when there is no such message. */
export async function standingOf({ run }: Tx, ticket: string, now: EpochMs): Promise<Standing | undefined> {
  const [row] = await run<StandingRow>(
    `SELECT m.account_id AS "accountId", m.status, m.price, m.cost, w.currency, o.kind,
       coalesce(o.lane, m.carrier, '') AS carrier, coalesce(o.handed_at, m.submitted_at) AS "handedAt",
       coalesce(o.lease_until, 0) AS "leaseUntil", coalesce(o.submitted_at, 0) AS "submittedAt"
     FROM messages m JOIN wallets w ON w.id = m.wallet_id LEFT JOIN outbox o ON o.id = m.id WHERE m.id = $1`,
    [ticket],
  )
  if (!row) return undefined
  const { kind, leaseUntil, submittedAt, ...rest } = row
  const isHeld = leaseUntil > now
  return {
    ...rest,
    kind: kind ?? undefined,
    isHeld,
    isUncertain: kind === 'await' && submittedAt === 0 && !isHeld,
  }
}

/** How many messages are uncertain, by carrier. */
export function countUncertain({ run }: Tx, now: EpochMs): Promise<{ carrier: string; count: number }[]> {
  return run(
    `SELECT lane AS carrier, count(*) AS count FROM outbox
     WHERE kind = 'await' AND submitted_at = 0 AND lease_until <= $1 GROUP BY lane`,
    [now],
  )
}

/** The columns of a list of uncertain messages for their carrier, who adds `status` and perhaps `message_id`. */
export const UNCERTAIN_COLUMNS = ['reference', 'to', 'from', 'time'] as const

/** One message, as its carrier can look it up. The reference is our ticket, by which the carrier's answer is read again. */
export function uncertainCells({ ticket, recipient, sender, handedAt }: UncertainMessage): string[] {
  return [ticket, recipient, sender, new Date(handedAt).toISOString()]
}
