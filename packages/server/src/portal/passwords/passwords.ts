import { createFailureCount } from '../../audit/index.ts'
import type { EpochMs } from '../../domain/ids.ts'
import { accountsOfPerson, findPerson, lockPerson, type PersonRow } from '../../people/index.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Database, Tx } from '../../platform/database/database.ts'
import { countedAddress } from '../../platform/http/client-address.ts'
import { clearFailures, markFailed, takeTurn } from '../limits/attempts.ts'
import {
  emailHashOf,
  LONGEST_EMAIL,
  lockedUntil,
  normalisedEmail,
  type Refusal,
  type Reservation,
  refusalOf,
  reserve,
} from '../limits/limits.ts'
import { isTooLong, NOBODYS_PASSWORD } from './password-hash.ts'
import type { PasswordQueue } from './password-queue.ts'
import { type VerifyPassword, verifyAside } from './password-threads.ts'

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

/**
 * Checks a password within the limits on guesses. `right` runs with the person locked, in the transaction that settles
 * the attempt.
 */
export type CheckPassword = <Right>(
  request: PasswordRequest,
  right: (tx: Tx, person: PersonRow) => Promise<Right>,
) => Promise<PasswordResult<Right>>

export interface PasswordsOptions {
  database: Database
  /** The real time, by which people wait and sessions end. */
  clock: Clock
  newId(now: EpochMs): string
  queued: PasswordQueue
  check?: VerifyPassword | undefined
}

export function createCheckPassword(options: PasswordsOptions): CheckPassword {
  const { database, clock, newId, queued, check = verifyAside } = options
  const failed = createFailureCount({ clock })

  /** Reserves the attempt, checks the password outside of any transaction, and settles it. */
  async function attempt<Right>(
    { email, password, address }: PasswordRequest,
    right: (tx: Tx, person: PersonRow) => Promise<Right>,
  ): Promise<PasswordResult<Right>> {
    const { reserved, person } = await database.write((tx) => begin(tx, email, address))
    if (reserved.kind !== 'reserved') return reserved
    const possible = email.length <= LONGEST_EMAIL && !isTooLong(password)
    const stored = person?.passwordHash ?? undefined
    const fits = possible && (await check(password, stored ?? NOBODYS_PASSWORD))
    return database.write(async (tx) => {
      await takeTurn(tx)
      // Another password may have been set during the check.
      const locked = fits && person && stored !== undefined ? await lockPerson(tx, person.id) : undefined
      if (!locked || locked.passwordHash !== stored) return fail(tx, reserved, person)
      await clearFailures(tx, reserved.emailHash)
      return right(tx, locked)
    })
  }

  async function begin(
    tx: Tx,
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
    { id, emailHash, address, wouldLock }: Reservation,
    person: PersonRow | undefined,
  ): Promise<{ kind: 'wrong' }> {
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

  return async function checkPassword({ email, password, address: from }, right) {
    const address = countedAddress(from)
    const caller = { emailHash: emailHashOf(email), address }
    // A refusal needs no password check, so it does not wait in the lane.
    const refusal = await database.read((tx) => refusalOf(tx, caller, clock.now()))
    if (refusal) return refusal
    return (await queued(() => attempt({ email, password, address }, right))) ?? { kind: 'busy' }
  }
}
