import { type Micros, toDecimal } from '@wigwag/contract'
import type { operations } from '@wigwag/contract/operations'
import { type EpochMs, firstTicketAt } from '../../kernel/ids.ts'
import type { Principal, SenderStatus } from '../../kernel/principal.ts'
import type { Clock } from '../../kernel/process/clock.ts'
import { HOUR_MS } from '../../kernel/time/spans.ts'
import type { Tx } from '../database.ts'
import { insertRows } from '../rows.ts'
import type { Tables } from '../schema/schema.ts'
import { deleteSlice, SLICE } from '../slices.ts'

/** Actions on one account. Add new ones here: its people read them in words. */
export type AccountAction =
  | `account.${'create' | 'suspend' | 'resume' | 'set-password' | 'end-key' | 'rotate-secret' | 'rotate-callback-secret'}`
  | `account.${'edit' | 'view' | 'export' | 'erase' | 'leave' | 'arrive' | 'rotate-wallet-token'}`
  | `wallet.${'credit' | 'debit' | 'warn'}`
  | `sender.${SenderStatus}`
  | `message.${'settle' | 'find' | 'show'}`
  | 'callback.replay'
  | `connection.${'create' | 'refuse' | 'limits' | 'revoke' | 'end'}`
  | `portal.${'sign-in' | 'sign-out'}`
  | `person.${'invite' | 'withdraw' | 'join' | 'role' | 'remove' | 'reset-factors' | 'require-factor' | 'limit'}`
  | `person.${'add-factor' | 'remove-factor' | 'recovery-codes' | 'recovery-code' | 'password' | 'end-sessions'}`
  | `alert.${'choose' | 'know' | 'mail'}`
  | `sandbox.${'clock' | 'empty-wallet' | 'start-over'}`

/** Actions on the gateway itself. Only operators read them. */
type GatewayAction =
  | 'number.erase'
  | `rates.${'import' | 'restore'}`
  | 'keys.rotate'
  | 'secret.reseal'
  | `carrier.${'pause' | 'resume' | 'reload' | 'test'}`
  | `connector.${'add' | 'remove'}`
  | `operator.${'add' | 'end' | 'register' | 'sign-in' | 'sign-out'}`

/** All kinds of audited actions. */
export type AuditAction = AccountAction | GatewayAction | WriteAction

type Operations = typeof operations
type NotGet = {
  [O in keyof Operations]: Operations[O]['method'] extends 'GET' ? never : O
}[keyof Operations]

/** A change: an operation of the API, but not that of the price, which is a POST; or that of one page alone. */
export type WriteOperation = Exclude<NotGet, 'estimateCost'> | 'endKey'

/** A write of an assistant: an API operation or a connector tool. A person's: an operation, from a page. */
export type WriteAction = `${'api' | 'console'} ${WriteOperation}` | `mcp ${string}`

/** Failed attempts to sign in: to a known account, or by somebody who is not known. */
export type AccountFailure = `portal.${'sign-in-failed' | 'sign-in-suspended' | 'locked'}`

/**
 * Failures and refused writes: a caller can cause them at will. Counted per hour, so that they cannot fill the
 * storage.
 */
export type FailureAction = AccountFailure | 'operator.sign-in-failed' | WriteAction

/**
 * Something that an operator, a person or an assistant did. Kept for ever, unless the operator set a number of days.
 */
export interface AuditEntry {
  /**
   * An operator with their name, a person or an assistant's connection or an API client by its id, `gateway`, or
   * `oauth`.
   */
  actor: string
  action: AuditAction
  accountId?: string | null
  detail?: Record<string, unknown>
}

/** Writes entries in the transaction of the action they record. */
export type Audit = (tx: Tx, ...entries: AuditEntry[]) => Promise<void>

/** Counts a failure in the transaction that detected it. */
export type CountFailure = (
  tx: Tx,
  failure: { action: FailureAction; accountId: string | null; detail: Record<string, unknown> },
) => Promise<void>

export interface AuditOptions {
  clock: Pick<Clock, 'now'>
  newId(now: EpochMs): string
}

/** Returns the writer of audit entries. */
export function createAudit({ clock, newId }: AuditOptions): Audit {
  return function audit(tx, ...entries) {
    const at = clock.now()
    return insertAudit(
      tx,
      entries.map(({ actor, action, accountId = null, detail = {} }) => ({
        id: newId(at),
        at,
        actor,
        action,
        accountId,
        detail: JSON.stringify(detail),
      })),
    )
  }
}

/** The operator behind a change, and the reason for it. */
export interface Acting {
  /** `operator:` and a name, or `gateway` for what a gateway does by itself. */
  actor: string
  reason?: string | undefined
}

export interface OperatorAuditOptions extends AuditOptions {
  acting: Acting
}

/** Writes entries about what an operator did, in the transaction of that action. */
export type OperatorAudit = (tx: Tx, ...entries: Omit<AuditEntry, 'actor'>[]) => Promise<void>

/** Returns the writer of an operator's entries. The reason, if there is one, is in the detail. */
export function createOperatorAudit({ acting, ...options }: OperatorAuditOptions): OperatorAudit {
  const audit = createAudit(options)
  const { actor, reason } = acting
  return (tx, ...entries) =>
    audit(
      tx,
      ...entries.map(({ detail, ...entry }) => ({
        ...entry,
        actor,
        detail: reason === undefined ? (detail ?? {}) : { ...detail, reason },
      })),
    )
}

/** Returns the counter of failures. */
export function createFailureCount({ clock }: Pick<AuditOptions, 'clock'>): CountFailure {
  return (tx, { action, accountId, detail }) =>
    countFailure(tx, { action, accountId, at: clock.now(), detail: JSON.stringify(detail) })
}

/** A write that was refused. */
export interface Refusal {
  actor: string
  action: WriteAction
  accountId: string
  detail: Record<string, unknown>
}

/** Returns the counter of refused writes: by the action, account and hour, with the last one's detail. */
export function createRefusalCount({ clock }: Pick<AuditOptions, 'clock'>) {
  const failed = createFailureCount({ clock })
  return async function refusals(tx: Tx, ...refused: Refusal[]): Promise<void> {
    // In a fixed order, so that two processes never wait for each other.
    const sorted = refused.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
    for (const { actor, action, accountId, detail } of sorted)
      await failed(tx, { action, accountId, detail: { actor, ...detail } })
  }
}

function keyOf({ action, accountId }: Refusal): string {
  return `${action}\n${accountId}`
}

function insertAudit(tx: Tx, rows: readonly Tables['audit']['$inferSelect'][]): Promise<void> {
  return insertRows(tx, tx.t.audit, rows)
}

/** One failure to count. */
export interface Failure {
  action: string
  /** Null when the failure belongs to no known account. */
  accountId: string | null
  at: EpochMs
  detail: string
}

/** Adds a failure to the row of its action, account and hour. The row keeps the detail of the last failure. */
export async function countFailure({ run }: Tx, { action, accountId, at, detail }: Failure): Promise<void> {
  await run(
    `INSERT INTO audit_failures (action, account_id, hour, failures, last_at, detail) VALUES ($1, $2, $3, 1, $4, $5)
     ON CONFLICT (action, account_id, hour) DO UPDATE SET failures = audit_failures.failures + 1,
       last_at = excluded.last_at, detail = excluded.detail`,
    [action, accountId ?? '', at - (at % HOUR_MS), at, detail],
  )
}

/** Deletes a slice of the failure counts before a time. True if there may be more. */
export function pruneFailures(tx: Tx, before: EpochMs): Promise<boolean> {
  return deleteSlice(tx, {
    table: 'audit_failures',
    key: 'action, account_id, hour',
    where: 'hour < $1',
    values: [before],
    orderBy: 'hour',
  })
}

/** Deletes a slice of the entries from before a time. True if there may be more. */
export function pruneAudit(tx: Tx, before: EpochMs): Promise<boolean> {
  return deleteSlice(tx, {
    table: 'audit',
    key: 'id',
    where: 'id < $1',
    values: [firstTicketAt(before)],
    orderBy: 'id',
  })
}

/**
 * Empties the details of a slice of an account's entries: who did what and when stays, by ids alone. The counts of its
 * failures go with the last slice. Returns whether there may be more.
 */
export async function emptyDetails({ run }: Tx, accountId: string): Promise<boolean> {
  const emptied = await run(
    `UPDATE audit SET detail = '{}' WHERE id IN (
       SELECT id FROM audit WHERE account_id = $1 AND detail <> '{}' ORDER BY id LIMIT ${SLICE}) RETURNING id`,
    [accountId],
  )
  if (emptied.length === SLICE) return true
  await run('DELETE FROM audit_failures WHERE account_id = $1', [accountId])
  return false
}

/** A write that an assistant requested through the API, or a person on a page, and its outcome. */
export interface Write {
  principal: Principal
  operation: WriteOperation
  /** `done`, or the code of the problem that refused it. */
  outcome: string
  ticket?: string | undefined
  /** The key or sender ID that it changed, where there is no ticket. */
  about?: string
  /** Audited for the account's own programs too, because it changes who may call or what may be sent. */
  always?: boolean
  messages?: number
  cost?: Micros
}

/**
 * Adds a row for every write of an assistant or a person, in the transaction that accepts it, and counts those that are
 * refused. Writes of the account's API clients get no row, but for those that change who may call or what may be sent.
 */
export async function auditWrites(
  tx: Tx,
  writes: readonly Write[],
  at: EpochMs,
  newId: (now: EpochMs) => string,
): Promise<void> {
  const clock = { now: () => at }
  const audit = createAudit({ clock, newId })
  const refusals = createRefusalCount({ clock })
  await audit(tx, ...writes.filter(isDone).flatMap(entryOf))
  await refusals(tx, ...writes.filter((write) => !isDone(write)).flatMap(entryOf))
}

/** Whether the caller's writes are audited: they are not the account's own programs. */
export function isAudited({ connection, person }: Principal): boolean {
  return connection !== undefined || person !== undefined
}

function isDone({ outcome }: Write): boolean {
  return outcome === 'done'
}

/** How the log names a person: by the id, which stays when the person is forgotten. */
export function actorOf(personId: string): string {
  return `person:${personId}`
}

/** How the log names a caller: a person, an assistant's connection, or an API client. */
export function actorOfCaller({ person, connection, clientId }: Principal): string {
  if (person !== undefined) return actorOf(person)
  return connection ? `connection:${connection.id}` : `client:${clientId}`
}

function entryOf({ principal, operation, cost, always, ...detail }: Write): Refusal[] {
  if (!always && !isAudited(principal)) return []
  const { accountId, person } = principal
  const priced = cost === undefined ? detail : { ...detail, cost: toDecimal(cost) }
  const detailed = { accountId, detail: priced }
  const action = person === undefined ? (`api ${operation}` as const) : (`console ${operation}` as const)
  return [{ actor: actorOfCaller(principal), action, ...detailed }]
}
