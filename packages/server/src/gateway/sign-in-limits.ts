import { type EpochMs, epochMs } from '../domain/ids.ts'
import type { Connection } from '../store/database.ts'
import {
  attemptsFrom,
  attemptsFromWithin,
  failuresOf,
  insertAttempt,
  takeTurn,
} from '../store/sign-in-attempts.ts'
import { WIDE_SHARE, wideNetwork } from './caller-address.ts'
import { digestOf } from './identify.ts'

const MINUTE = 60_000
const FAILURES = { most: 10, withinMs: 15 * MINUTE, lockMs: 15 * MINUTE }
const ATTEMPTS = { most: 100, withinMs: 60 * MINUTE }
export const LONGEST_EMAIL = 254

/** Who tries, as far as it is counted. */
export interface Caller {
  emailHash: string
  address: string
}

export type Refusal = { kind: 'locked'; until: EpochMs } | { kind: 'too_many'; until: EpochMs }

/** An attempt that counts as failed until it is settled, so that those that run at the same time count it too. */
export interface Reservation extends Caller {
  kind: 'reserved'
  id: string
  /** Whether its failure is the one that locks. */
  wouldLock: boolean
}

/**
 * An e-mail address as accounts have it, to look one up and to count by. What is longer than any may be is cut where
 * it no longer matters. PostgreSQL takes no zero character, and none may make one account count as two.
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

/** Why an attempt is not even looked at. The address comes first: who tries too much learns of no lock. */
export async function refusalOf(
  connection: Connection,
  { emailHash, address }: Caller,
  now: EpochMs,
): Promise<Refusal | undefined> {
  const tooMany = await tooManyUntil(connection, address, now)
  if (tooMany !== undefined) return { kind: 'too_many', until: tooMany }
  const until = await lockedUntil(connection, emailHash, now)
  return until === undefined ? undefined : { kind: 'locked', until }
}

/** Until when an address has tried too much, or the wide network that it is in. */
async function tooManyUntil(
  connection: Connection,
  address: string,
  now: EpochMs,
): Promise<EpochMs | undefined> {
  const { most, withinMs } = ATTEMPTS
  const since = before(now, withinMs)
  const wide = wideNetwork(address)
  const mostWithin = WIDE_SHARE * most
  const from = await attemptsFrom(connection, address, { since, most })
  const within =
    wide === undefined ? [] : await attemptsFromWithin(connection, wide, { since, most: mostWithin })
  const oldest = [from[most - 1], within[mostWithin - 1]].filter((at) => at !== undefined)
  return oldest.length === 0 ? undefined : epochMs(Math.max(...oldest) + withinMs)
}

/** Counts an attempt before anybody knows how it ends, or refuses it. Refused ones are not counted: nothing was tried. */
export async function reserve(
  connection: Connection,
  caller: Caller & { id: string },
  now: EpochMs,
): Promise<Reservation | Refusal> {
  await takeTurn(connection)
  const refusal = await refusalOf(connection, caller, now)
  if (refusal) return refusal
  await insertAttempt(connection, { ...caller, at: now, failed: 1 })
  const wouldLock = (await lockedUntil(connection, caller.emailHash, now)) !== undefined
  return { kind: 'reserved', ...caller, wouldLock }
}

/**
 * Until when an e-mail address is locked. While it is, no failure is added: the ten newest are the ones that locked
 * it, so the lock ends some time after the newest, however long ago the first was.
 */
export async function lockedUntil(
  connection: Connection,
  emailHash: string,
  now: EpochMs,
): Promise<EpochMs | undefined> {
  const since = before(now, FAILURES.withinMs + FAILURES.lockMs)
  const failures = await failuresOf(connection, emailHash, { since, most: FAILURES.most })
  const [newest] = failures
  const tenth = failures[FAILURES.most - 1]
  if (newest === undefined || tenth === undefined || newest - tenth >= FAILURES.withinMs) return undefined
  const until = epochMs(newest + FAILURES.lockMs)
  return until > now ? until : undefined
}

function before(now: EpochMs, ms: number): EpochMs {
  return epochMs(Math.max(0, now - ms))
}
