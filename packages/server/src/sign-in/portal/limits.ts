import { digestOf } from '../../accounts/index.ts'
import { type EpochMs, epochMs } from '../../kernel/ids.ts'
import { HOUR_MS, MINUTE_MS } from '../../kernel/time/spans.ts'
import { WIDE_SHARE, wideNetwork } from '../../net/callers/client-address.ts'
import type { Tx } from '../../store/database.ts'
import { insertRows } from '../../store/rows.ts'
import type { Tables } from '../../store/schema/schema.ts'
import { writeSetting } from '../../store/settings.ts'
import { deleteSlice } from '../../store/slices.ts'

const FAILURES = { most: 10, withinMs: 15 * MINUTE_MS, lockMs: 15 * MINUTE_MS }
const ATTEMPTS = { most: 100, withinMs: HOUR_MS }
export const LONGEST_EMAIL = 254

/** Attempts are counted by each of these. */
export interface Caller {
  emailHash: string
  address: string
}

export type Refusal = { kind: 'locked'; until: EpochMs } | { kind: 'too_many'; until: EpochMs }

/** An attempt that counts as failed until it is settled, so that concurrent attempts count it too. */
export interface Reservation extends Caller {
  kind: 'reserved'
  id: string
  /** Whether its failure would lock the e-mail. */
  wouldLock: boolean
}

/**
 * An e-mail address in the form that accounts store, to look one up and to count by. Overlong text is cut. Zero
 * characters are removed: PostgreSQL stores none, and they must not give one account two counts.
 */
export function normalisedEmail(typed: string): string {
  return typed
    .slice(0, 2 * LONGEST_EMAIL)
    .replaceAll('\0', '')
    .trim()
    .toLowerCase()
}

export function emailHashOf(email: string): string {
  return digestOf(normalisedEmail(email))
}

/** Why an attempt is refused unchecked. The address comes first: one that tries too much does not learn of locks. */
export async function refusalOf(
  tx: Tx,
  { emailHash, address }: Caller,
  now: EpochMs,
): Promise<Refusal | undefined> {
  const tooMany = await tooManyUntil(tx, address, now)
  if (tooMany !== undefined) return { kind: 'too_many', until: tooMany }
  const until = await lockedUntil(tx, emailHash, now)
  return until === undefined ? undefined : { kind: 'locked', until }
}

/** When the limit on an address, or on its wide network, ends; undefined when neither is reached. */
async function tooManyUntil(tx: Tx, address: string, now: EpochMs): Promise<EpochMs | undefined> {
  const { most, withinMs } = ATTEMPTS
  const since = before(now, withinMs)
  const wide = wideNetwork(address)
  const mostWithin = WIDE_SHARE * most
  const from = await attemptsFrom(tx, address, { since, most })
  const within = wide === undefined ? [] : await attemptsFromWithin(tx, wide, { since, most: mostWithin })
  const oldest = [from[most - 1], within[mostWithin - 1]].filter((at) => at !== undefined)
  return oldest.length === 0 ? undefined : epochMs(Math.max(...oldest) + withinMs)
}

/** Counts an attempt before its result is known, or refuses it. Refused ones are not counted: nothing was tried. */
export async function reserve(
  tx: Tx,
  caller: Caller & { id: string },
  now: EpochMs,
): Promise<Reservation | Refusal> {
  await takeTurn(tx)
  const refusal = await refusalOf(tx, caller, now)
  if (refusal) return refusal
  await insertAttempt(tx, { ...caller, at: now, failed: 1 })
  const wouldLock = (await lockedUntil(tx, caller.emailHash, now)) !== undefined
  return { kind: 'reserved', ...caller, wouldLock }
}

/**
 * When the lock on an e-mail ends; undefined when it is not locked. While it is locked no failure is added, so the ten
 * newest failures are the ones that locked it, and the lock is counted from the newest.
 */
export async function lockedUntil(tx: Tx, emailHash: string, now: EpochMs): Promise<EpochMs | undefined> {
  const since = before(now, FAILURES.withinMs + FAILURES.lockMs)
  const failures = await failuresOf(tx, emailHash, { since, most: FAILURES.most })
  const [newest] = failures
  const tenth = failures[FAILURES.most - 1]
  if (newest === undefined || tenth === undefined || newest - tenth >= FAILURES.withinMs) return undefined
  const until = epochMs(newest + FAILURES.lockMs)
  return until > now ? until : undefined
}

function before(now: EpochMs, ms: number): EpochMs {
  return epochMs(Math.max(0, now - ms))
}

type AttemptRow = Tables['signInAttempts']['$inferSelect']

interface Span {
  since: EpochMs
  /** How many of the newest are wanted. */
  most: number
}

/**
 * Locks one row that all sign-ins share until the transaction ends, so that counting and adding attempts is serial
 * across processes. There may be no other row to lock: the e-mail may be unknown, and the attempt its first.
 */
export function takeTurn(tx: Tx): Promise<void> {
  return writeSetting(tx, 'sign_in_turn', '')
}

export function insertAttempt(tx: Tx, attempt: AttemptRow): Promise<void> {
  return insertRows(tx, tx.t.signInAttempts, [attempt])
}

/** The times of an e-mail's failed attempts, newest first. */
async function failuresOf({ run }: Tx, emailHash: string, { since, most }: Span): Promise<EpochMs[]> {
  const rows = await run<Pick<AttemptRow, 'at'>>(
    `SELECT at FROM sign_in_attempts WHERE email_hash = $1 AND at > $2 AND failed = 1
     ORDER BY at DESC LIMIT $3`,
    [emailHash, since, most],
  )
  return rows.map(({ at }) => at)
}

/** The times of all attempts from a network address, newest first. */
function attemptsFrom(tx: Tx, address: string, span: Span): Promise<EpochMs[]> {
  return attemptsWhere(tx, 'address = $1', address, span)
}

/** The same for all addresses that begin with this text. */
function attemptsFromWithin(tx: Tx, beginning: string, span: Span): Promise<EpochMs[]> {
  return attemptsWhere(tx, 'address LIKE $1', `${beginning}%`, span)
}

async function attemptsWhere(
  { run }: Tx,
  condition: string,
  address: string,
  { since, most }: Span,
): Promise<EpochMs[]> {
  const rows = await run<Pick<AttemptRow, 'at'>>(
    `SELECT at FROM sign_in_attempts WHERE ${condition} AND at > $2 ORDER BY at DESC LIMIT $3`,
    [address, since, most],
  )
  return rows.map(({ at }) => at)
}

export async function markFailed({ run }: Tx, id: string): Promise<void> {
  await run('UPDATE sign_in_attempts SET failed = 1 WHERE id = $1', [id])
}

/** Clears the failures of an e-mail. The attempts still count for the network addresses they came from. */
export async function clearFailures({ run }: Tx, emailHash: string): Promise<void> {
  await run('UPDATE sign_in_attempts SET failed = 0 WHERE email_hash = $1 AND failed = 1', [emailHash])
}

/** Deletes a slice of the attempts made before a time. Returns whether there may be more. */
export function pruneAttempts(tx: Tx, before: EpochMs): Promise<boolean> {
  return deleteSlice(tx, {
    table: 'sign_in_attempts',
    key: 'id',
    where: 'at < $1',
    values: [before],
    orderBy: 'at',
  })
}

export interface Registrations {
  /** Clients that registered themselves. */
  registered: number
  /** Registered clients that no person ever allowed in. */
  unused: number
}

/** Counts the clients that registered themselves, for `wigwag doctor`. */
export async function countRegistrations({ run }: Tx): Promise<Registrations> {
  const [row] = await run<Registrations>(
    `SELECT count(*) AS registered,
       count(CASE WHEN EXISTS (SELECT 1 FROM connections c WHERE c.client_id = r.id) THEN NULL ELSE 1 END) AS unused
     FROM oauth_records r WHERE model = 'Client'`,
    [],
  )
  return row ?? { registered: 0, unused: 0 }
}

export interface Failures {
  failures: number
  newest: EpochMs | null
}

/** Counts the failed sign-in attempts that are still stored. */
export async function countFailures({ run }: Tx): Promise<Failures> {
  const [row] = await run<Failures>(
    'SELECT count(*) AS failures, max(at) AS newest FROM sign_in_attempts WHERE failed = 1',
    [],
  )
  return row ?? { failures: 0, newest: null }
}

/** The digests of e-mail addresses with failed attempts. */
export async function failedEmails({ run }: Tx): Promise<string[]> {
  const rows = await run<{ hash: string }>(
    'SELECT DISTINCT email_hash AS hash FROM sign_in_attempts WHERE failed = 1',
    [],
  )
  return rows.map(({ hash }) => hash)
}
