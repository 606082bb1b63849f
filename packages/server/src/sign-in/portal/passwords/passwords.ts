import { type Changing, changeAccount, OperatorError } from '../../../accounts/index.ts'
import {
  accountsOfPerson,
  findPerson,
  lockPerson,
  membersOf,
  type PersonRow,
  setPasswordHash,
} from '../../../accounts/people/index.ts'
import type { Parts } from '../../../flow/parts.ts'
import type { EpochMs } from '../../../kernel/ids.ts'
import type { Clock } from '../../../kernel/process/clock.ts'
import { countedAddress } from '../../../net/callers/client-address.ts'
import { createFailureCount } from '../../../store/audit/index.ts'
import type { Tx } from '../../../store/database.ts'
import {
  clearFailures,
  emailHashOf,
  LONGEST_EMAIL,
  lockedUntil,
  markFailed,
  normalisedEmail,
  type Refusal,
  type Reservation,
  refusalOf,
  reserve,
  takeTurn,
} from '../limits.ts'
import { endSessionsOfPerson } from '../sessions.ts'
import { isTooLong, NOBODYS_PASSWORD } from './password-hash.ts'
import { type PasswordQueue, type VerifyPassword, verifyAside } from './password-queue.ts'

export interface PasswordRequest {
  email: string
  password: string
  address: string
}

export type PasswordResult<Right> =
  | Right
  /** Unknown e-mail, no password set, or a wrong one: indistinguishable, by text and by time. */
  | { kind: 'wrong' }
  /** 10 failures of this e-mail in 15 minutes, whether or not it is somebody's. */
  | { kind: 'locked'; until: EpochMs }
  /** 100 attempts from this address in an hour, or 500 from its IPv6 /48. */
  | { kind: 'too_many'; until: EpochMs }
  /** Too many passwords wait to be checked. */
  | { kind: 'busy' }

/** Checks a password, with its parts at hand. */
export type CheckPassword = <Right>(
  request: PasswordRequest,
  right: (tx: Tx, person: PersonRow) => Promise<Right>,
) => Promise<PasswordResult<Right>>

/** The parts that checking a password needs. */
export interface PasswordCheck extends Pick<Parts, 'database'> {
  /** The real time, by which people wait and sessions end. */
  clock: Clock
  newId(now: EpochMs): string
  queue: PasswordQueue
  check?: VerifyPassword | undefined
}

/**
 * Checks a password within the limits on guesses. `right` runs with the person locked, in the transaction that settles
 * the attempt.
 */
export async function checkPassword<Right>(
  parts: PasswordCheck,
  { email, password, address: from }: PasswordRequest,
  right: (tx: Tx, person: PersonRow) => Promise<Right>,
): Promise<PasswordResult<Right>> {
  const address = countedAddress(from)
  const caller = { emailHash: emailHashOf(email), address }
  // A refusal needs no password check, so it does not wait in the lane.
  const refusal = await parts.database.read((tx) => refusalOf(tx, caller, parts.clock.now()))
  if (refusal) return refusal
  const request = { email, password, address }
  return (await parts.queue.run(() => attempt(parts, request, right))) ?? { kind: 'busy' }
}

/** Reserves the attempt, checks the password outside of any transaction, and settles it. */
async function attempt<Right>(
  parts: PasswordCheck,
  { email, password, address }: PasswordRequest,
  right: (tx: Tx, person: PersonRow) => Promise<Right>,
): Promise<PasswordResult<Right>> {
  const { database, check = verifyAside } = parts
  const { reserved, person } = await database.write((tx) => begin(tx, parts, email, address))
  if (reserved.kind !== 'reserved') return reserved
  const possible = email.length <= LONGEST_EMAIL && !isTooLong(password)
  const stored = person?.passwordHash ?? undefined
  const fits = possible && (await check(password, stored ?? NOBODYS_PASSWORD))
  return database.write(async (tx) => {
    await takeTurn(tx)
    // Another password may have been set during the check.
    const locked = fits && person && stored !== undefined ? await lockPerson(tx, person.id) : undefined
    if (!locked || locked.passwordHash !== stored) return fail(tx, parts, reserved, person)
    await clearFailures(tx, reserved.emailHash)
    return right(tx, locked)
  })
}

async function begin(
  tx: Tx,
  { clock, newId }: PasswordCheck,
  email: string,
  address: string,
): Promise<{ reserved: Reservation | Refusal; person: PersonRow | undefined }> {
  const now = clock.now()
  const caller = { id: newId(now), emailHash: emailHashOf(email), address }
  const reserved = await reserve(tx, caller, now)
  const person = reserved.kind === 'reserved' ? await findPerson(tx, normalisedEmail(email)) : undefined
  return { reserved, person }
}

async function fail(
  tx: Tx,
  { clock }: PasswordCheck,
  { id, emailHash, address, wouldLock }: Reservation,
  person: PersonRow | undefined,
): Promise<{ kind: 'wrong' }> {
  const failed = createFailureCount({ clock })
  // A concurrent success with the same e-mail may have cleared this failure, so it is marked again.
  await markFailed(tx, id)
  const [account] = person ? await accountsOfPerson(tx, person.id) : []
  const accountId = account?.accountId ?? null
  await failed(tx, { action: 'portal.sign-in-failed', accountId, detail: { address } })
  const until = wouldLock ? await lockedUntil(tx, emailHash, clock.now()) : undefined
  if (until !== undefined)
    await failed(tx, { action: 'portal.locked', accountId, detail: { address, until } })
  return { kind: 'wrong' }
}

/** Returns the ids of the connections that ended. */
export type SetPassword = (
  account: string,
  passwordHash: string,
  options?: {
    /** Leaves the assistants of the account and of the person connected. Otherwise those that an intruder connected would stay. */
    keepConnections?: boolean
  },
) => Promise<string[]>

/**
 * Sets the password of the person who signs in with an account's address, ends all their sessions, the connections of
 * the account's assistants and those that they let into other accounts, and clears the failed attempts.
 */
export function setPassword(
  parts: Changing,
  endConnections: (tx: Tx, of: { accountId: string; personId: string }) => Promise<string[]>,
  ...[idOrEmail, passwordHash, { keepConnections = false } = {}]: Parameters<SetPassword>
): Promise<string[]> {
  return changeAccount(parts, 'account.set-password', idOrEmail, {}, async (tx, { id, email }) => {
    const person = (await membersOf(tx, id)).find((member) => member.email === email)
    if (!person)
      throw new OperatorError(
        `${email} is not among the people of account ${id} any more; wigwag person list --account ${id} shows who is`,
      )
    await setPasswordHash(tx, person.personId, passwordHash)
    await endSessionsOfPerson(tx, person.personId)
    await clearFailures(tx, emailHashOf(email))
    return keepConnections ? [] : endConnections(tx, { accountId: id, personId: person.personId })
  })
}
