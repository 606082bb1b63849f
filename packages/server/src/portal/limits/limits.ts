import { digestOf } from '../../accounts/index.ts'
import { type EpochMs, epochMs } from '../../domain/ids.ts'
import type { Tx } from '../../platform/database/database.ts'
import { WIDE_SHARE, wideNetwork } from '../../platform/http/client-address.ts'
import { attemptsFrom, attemptsFromWithin, failuresOf, insertAttempt, takeTurn } from './attempts.ts'

const MINUTE = 60_000
const FAILURES = { most: 10, withinMs: 15 * MINUTE, lockMs: 15 * MINUTE }
const ATTEMPTS = { most: 100, withinMs: 60 * MINUTE }
export const LONGEST_EMAIL = 254

/** What an attempt is counted by. */
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
