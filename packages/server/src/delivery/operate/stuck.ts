import { type JobKind, SET_ASIDE_AFTER } from '../../flow/jobs/outbox.ts'
import type { EpochMs, Ticket } from '../../kernel/ids.ts'
import type { Tx } from '../../store/database.ts'
import { carrierReports, pausedCarriers } from './switches.ts'

/**
 * Why a message is not final yet. `awaiting-receipt`: the carrier took it and has not said how it ended. `failing`:
 * handling it fails unexpectedly, and is tried again; `set-aside`: once an hour. `not-released`: its time has come, and no
 * gateway has begun with it. The others wait for their carrier.
 */
export type WhyStuck =
  | 'awaiting-receipt'
  | 'failing'
  | 'set-aside'
  | 'not-released'
  | 'no-gateway'
  | 'no-carrier'
  | 'carrier-paused'
  | 'carrier-away'
  | 'waiting-for-carrier'

/** A message that waits for longer than it should. */
export interface StuckMessage {
  ticket: Ticket
  why: WhyStuck
  /** Empty when it has none. */
  carrier: string
  accountId: string
  recipient: string
  createdAt: EpochMs
  /** Since when it waits for what it waits for. */
  since: EpochMs
}

/** Where a list of them ended. */
export interface StuckPlace {
  since: number
  ticket: string
}

interface StuckRow extends Omit<StuckMessage, 'why'> {
  kind: JobKind
  faults: number
}

/**
 * The oldest messages that have waited since before a time. Leaves out messages that a process works on now,
 * and uncertain ones unless they fail: only an operator or their carrier can end those.
 */
export async function stuckMessages(
  tx: Tx,
  {
    now,
    before,
    limit,
    after,
  }: { now: EpochMs; before: number; limit: number; after?: StuckPlace | undefined },
): Promise<StuckMessage[]> {
  const rows = await tx.run<StuckRow>(
    `SELECT * FROM (
       SELECT o.id AS ticket, o.kind, o.lane AS carrier, o.faults, m.account_id AS "accountId",
         m.recipient, m.created_at AS "createdAt",
         CASE WHEN o.kind = 'await' AND o.submitted_at > 0 THEN o.submitted_at WHEN o.kind = 'scheduled' THEN m.send_at
           WHEN m.due_at > 0 THEN m.due_at ELSE m.created_at END AS since
       FROM outbox o JOIN messages m ON m.id = o.id
       WHERE o.kind IN ('scheduled', 'dispatch', 'await') AND o.lease_until <= $1
         AND NOT (o.kind = 'await' AND o.submitted_at = 0 AND o.faults = 0)) AS open
     WHERE since < $2 AND (since, ticket) > ($3, $4) ORDER BY since, ticket LIMIT ${limit}`,
    [now, before, after?.since ?? 0, after?.ticket ?? ''],
  )
  const whyOf = await reasons(tx, now)
  return rows.map(({ kind, faults, ...message }) => ({
    ...message,
    why: whyOf({ kind, faults, carrier: message.carrier }),
  }))
}

type Waiting = Pick<StuckRow, 'kind' | 'faults' | 'carrier'>

async function reasons(tx: Tx, now: EpochMs): Promise<(waiting: Waiting) => WhyStuck> {
  const paused = await pausedCarriers(tx)
  const reports = await carrierReports(tx, now)
  const lines = reports.flatMap(({ carriers }) => carriers)
  return ({ kind, faults, carrier }) => {
    if (faults > SET_ASIDE_AFTER) return 'set-aside'
    if (faults > 0) return 'failing'
    if (kind === 'await') return 'awaiting-receipt'
    if (reports.length === 0) return 'no-gateway'
    if (kind === 'scheduled') return 'not-released'
    if (carrier === '') return 'no-carrier'
    if (paused.has(carrier)) return 'carrier-paused'
    const states = lines.filter((line) => line.carrier === carrier)
    return states.every((state) => state.kind === 'away') ? 'carrier-away' : 'waiting-for-carrier'
  }
}

/** A job that keeps failing, and is tried once an hour. */
export interface SetAside {
  id: string
  kind: JobKind
  /** The message that it is about; undefined when that was deleted. */
  ticket: Ticket | undefined
  accountId: string | undefined
  recipient: string | undefined
  carrier: string
  /** How many times in a row it failed. */
  faults: number
  nextAt: EpochMs
}

/** The jobs set aside, oldest first, after one of them. `faults > 0` is the condition of their index. */
export async function setAsideJobs({ run }: Tx, limit: number, after = ''): Promise<SetAside[]> {
  const rows = await run<
    Omit<SetAside, 'ticket' | 'accountId' | 'recipient'> & {
      ticket: Ticket | null
      accountId: string | null
      recipient: string | null
    }
  >(
    `SELECT o.id, o.kind, o.lane AS carrier, o.faults, o.run_at AS "nextAt", m.id AS ticket, m.account_id AS "accountId",
       m.recipient
     FROM outbox o LEFT JOIN callbacks c ON c.id = o.id LEFT JOIN messages m ON m.id = coalesce(c.message_id, o.id)
     WHERE o.faults > 0 AND o.faults > $1 AND o.id > $2 ORDER BY o.id LIMIT ${limit}`,
    [SET_ASIDE_AFTER, after],
  )
  return rows.map(({ ticket, accountId, recipient, ...job }) => ({
    ...job,
    ticket: ticket ?? undefined,
    accountId: accountId ?? undefined,
    recipient: recipient ?? undefined,
  }))
}
