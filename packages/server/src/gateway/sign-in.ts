import { randomBytes } from 'node:crypto'
import type { Clock } from '../clock.ts'
import { type EpochMs, epochMs } from '../domain/ids.ts'
import { findAccountByEmail } from '../store/accounts.ts'
import type { Connection, Database } from '../store/database.ts'
import { deleteSession, findSession, insertSession, lockAccount } from '../store/portal.ts'
import { clearFailures, markFailed, takeTurn } from '../store/sign-in-attempts.ts'
import { createAudit, createFailureCount } from './audit.ts'
import { countedAddress } from './caller-address.ts'
import { digestOf } from './identify.ts'
import { isTooLong, NOBODYS_PASSWORD, type verifyPassword } from './password.ts'
import { createPasswordLane } from './password-lane.ts'
import {
  emailHashOf,
  LONGEST_EMAIL,
  lockedUntil,
  normalisedEmail,
  type Refusal,
  type Reservation,
  refusalOf,
  reserve,
} from './sign-in-limits.ts'
import { createVerifyAside } from './verify-aside.ts'

const SESSION_MS = 12 * 3_600_000
const RECENT_MS = 10 * 60_000
const AT_ONCE = 2
const WAITING = 20

export type SignInResult =
  | { kind: 'in'; token: string; expiresAt: EpochMs; accountId: string }
  /** Unknown e-mail, no password or a wrong one: not told apart, neither by words nor by time. */
  | { kind: 'wrong' }
  /** Only after the right password. */
  | { kind: 'suspended' }
  /** 10 failures of this e-mail in 15 minutes; the same for one that nobody has. */
  | { kind: 'locked'; until: EpochMs }
  /** 100 attempts of this address in an hour, or 500 of the IPv6 /48 that it is in. */
  | { kind: 'too_many'; until: EpochMs }
  /** Too many passwords wait to be checked. */
  | { kind: 'busy' }

export interface SignInRequest {
  email: string
  password: string
  address: string
}

/** The person behind a session. */
export interface Person {
  accountId: string
  email: string
  name: string
  wallet: { id: string; currency: string }
  /** Signed in less than ten minutes ago. What lets an assistant send asks for the password again otherwise. */
  justSignedIn: boolean
}

/** Where people sign in with the accounts that the operator made. */
export interface Portal {
  signIn(request: SignInRequest): Promise<SignInResult>
  /** Who is signed in with this token; undefined when nobody is, also for suspended accounts. */
  who(token: string | undefined): Promise<Person | undefined>
  signOut(token: string): Promise<void>
}

export interface PortalOptions {
  database: Database
  clock: Clock
  newId(now: EpochMs): string
  /** Whether every moment of the processor is wanted for something else: then passwords are checked now and then. */
  busy?: () => boolean
  check?: typeof verifyPassword
}

/** What was found for an e-mail address before its password is checked. */
interface Candidate {
  accountId: string | null
  passwordHash: string | null
}

const NOBODY: Candidate = { accountId: null, passwordHash: null }

export function createPortal(options: PortalOptions): Portal {
  const { database, clock, newId, busy = () => false, check = createVerifyAside() } = options
  const runInLane = createPasswordLane({ atOnce: AT_ONCE, waiting: WAITING, clock, busy })

  const audit = createAudit({ clock, newId })
  const failed = createFailureCount({ clock })

  /** Reserves the attempt, checks the password outside of any transaction, and settles it. */
  async function attempt({ email, password, address }: SignInRequest): Promise<SignInResult> {
    const { reserved, candidate } = await database.write((connection) => begin(connection, email, address))
    if (reserved.kind !== 'reserved') return reserved
    const possible = email.length <= LONGEST_EMAIL && !isTooLong(password)
    const fits = possible && (await check(password, candidate.passwordHash ?? NOBODYS_PASSWORD))
    return database.write(async (connection) => {
      await takeTurn(connection)
      return fits && candidate.accountId !== null && candidate.passwordHash !== null
        ? succeed(connection, reserved, candidate.accountId, candidate.passwordHash)
        : fail(connection, reserved, candidate.accountId)
    })
  }

  async function begin(
    connection: Connection,
    email: string,
    address: string,
  ): Promise<{ reserved: Reservation | Refusal; candidate: Candidate }> {
    const now = clock.now()
    const caller = { id: newId(now), emailHash: emailHashOf(email), address }
    const reserved = await reserve(connection, caller, now)
    if (reserved.kind !== 'reserved') return { reserved, candidate: NOBODY }
    const account = await findAccountByEmail(connection, normalisedEmail(email))
    const candidate = account ? { accountId: account.id, passwordHash: account.passwordHash } : NOBODY
    return { reserved, candidate }
  }

  async function fail(
    connection: Connection,
    { id, emailHash, address, wouldLock }: Reservation,
    accountId: string | null,
  ): Promise<SignInResult> {
    // A success of the same e-mail may have cleared it in between.
    await markFailed(connection, id)
    await failed(connection, { action: 'portal.sign-in-failed', accountId, detail: { address } })
    const until = wouldLock ? await lockedUntil(connection, emailHash, clock.now()) : undefined
    if (until !== undefined)
      await failed(connection, { action: 'portal.locked', accountId, detail: { address, until } })
    return { kind: 'wrong' }
  }

  async function succeed(
    connection: Connection,
    reservation: Reservation,
    accountId: string,
    passwordHash: string,
  ): Promise<SignInResult> {
    const { emailHash, address } = reservation
    const account = await lockAccount(connection, accountId)
    // The operator may have set another password while this one was checked.
    if (account?.passwordHash !== passwordHash) return fail(connection, reservation, accountId)
    await clearFailures(connection, emailHash)
    if (account.status === 'suspended') {
      await failed(connection, { action: 'portal.sign-in-suspended', accountId, detail: { address } })
      return { kind: 'suspended' }
    }
    const now = clock.now()
    const token = `wp_${randomBytes(32).toString('base64url')}`
    const expiresAt = epochMs(now + SESSION_MS)
    await insertSession(connection, { tokenHash: digestOf(token), accountId, createdAt: now, expiresAt })
    await audit(connection, { actor: 'portal', action: 'portal.sign-in', accountId, detail: { address } })
    return { kind: 'in', token, expiresAt, accountId }
  }

  return {
    async signIn({ email, password, address: from }) {
      const address = countedAddress(from)
      const caller = { emailHash: emailHashOf(email), address }
      // Those who are refused anyway do not wait behind passwords, nor keep others waiting.
      const refusal = await database.read((connection) => refusalOf(connection, caller, clock.now()))
      if (refusal) return refusal
      return (await runInLane(() => attempt({ email, password, address }))) ?? { kind: 'busy' }
    },

    async who(token) {
      if (token === undefined) return undefined
      const now = clock.now()
      const found = await database.read((connection) => findSession(connection, digestOf(token), now))
      if (!found) return undefined
      const { accountId, email, name, walletId, currency, since } = found
      const justSignedIn = now - since < RECENT_MS
      return { accountId, email, name, wallet: { id: walletId, currency }, justSignedIn }
    },

    signOut: (token) =>
      database.write(async (connection) => {
        const accountId = await deleteSession(connection, digestOf(token))
        if (accountId !== undefined)
          await audit(connection, { actor: 'portal', action: 'portal.sign-out', accountId })
      }),
  }
}
