import { randomBytes } from 'node:crypto'
import { digestOf, findAccountByEmail } from '../accounts/index.ts'
import { createAudit, createFailureCount } from '../audit/index.ts'
import { type EpochMs, epochMs } from '../domain/ids.ts'
import type { Clock } from '../platform/clock.ts'
import type { Database, Tx } from '../platform/database/database.ts'
import { countedAddress } from '../platform/http/client-address.ts'
import { isTooLong, NOBODYS_PASSWORD, type verifyPassword } from './password.ts'
import { createPasswordQueue } from './password-queue.ts'
import { deleteSession, findSession, insertSession, lockAccount } from './sessions.ts'
import { clearFailures, markFailed, takeTurn } from './sign-in-attempts.ts'
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
import { verifyAside } from './verify-aside.ts'

const SESSION_MS = 12 * 3_600_000
const RECENT_MS = 10 * 60_000
const AT_ONCE = 2
const WAITING = 20

/** A new session. The token goes into a cookie of the browser. */
export interface Session {
  token: string
  expiresAt: EpochMs
}

export type SignInResult =
  | ({ kind: 'in'; accountId: string } & Session)
  /** Unknown e-mail, no password set, or a wrong one: indistinguishable, by text and by time. */
  | { kind: 'wrong' }
  /** Said only after the right password. */
  | { kind: 'suspended' }
  /** 10 failures of this e-mail in 15 minutes, whether or not an account has it. */
  | { kind: 'locked'; until: EpochMs }
  /** 100 attempts from this address in an hour, or 500 from its IPv6 /48. */
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
  /** Signed in less than ten minutes ago. Otherwise a form that lets an assistant send asks for the password again. */
  justSignedIn: boolean
}

/** Signs people in to the accounts that the operator created. */
export interface Portal {
  signIn(request: SignInRequest): Promise<SignInResult>
  /** The person who is signed in with this token; undefined when the session or the account is not active. */
  who(token: string | undefined): Promise<Person | undefined>
  /** Whether this token's session would be active if its account were not suspended. */
  isSuspended(token: string | undefined): Promise<boolean>
  signOut(token: string): Promise<void>
  /** Calls `hear` with each session that is signed out in this process. `who` tells of every other end. */
  onSignOut(hear: (token: string) => void): void
}

/** Signs people in without a password. Not part of {@link Portal}, so that no page can reach it. */
export interface OpenPortal extends Portal {
  /** Undefined when the account is not active. `how` is written to the audit log. */
  signInAs(accountId: string, how: { by: string; address: string }): Promise<Session | undefined>
}

export interface PortalOptions {
  database: Database
  clock: Clock
  newId(now: EpochMs): string
  /** Whether the event loop is saturated; then passwords are checked less often. */
  busy?: () => boolean
  check?: typeof verifyPassword
}

/** The account of an e-mail address, looked up before its password is checked. */
interface Candidate {
  accountId: string | null
  passwordHash: string | null
}

const NOBODY: Candidate = { accountId: null, passwordHash: null }

export function createPortal(options: PortalOptions): OpenPortal {
  const { database, clock, newId, busy = () => false, check = verifyAside } = options
  const queued = createPasswordQueue({ atOnce: AT_ONCE, waiting: WAITING, clock, busy })

  const audit = createAudit({ clock, newId })
  const failed = createFailureCount({ clock })
  const hearSignOut: ((token: string) => void)[] = []

  /** Reserves the attempt, checks the password outside of any transaction, and settles it. */
  async function attempt({ email, password, address }: SignInRequest): Promise<SignInResult> {
    const { reserved, candidate } = await database.write((tx) => begin(tx, email, address))
    if (reserved.kind !== 'reserved') return reserved
    const possible = email.length <= LONGEST_EMAIL && !isTooLong(password)
    const fits = possible && (await check(password, candidate.passwordHash ?? NOBODYS_PASSWORD))
    return database.write(async (tx) => {
      await takeTurn(tx)
      return fits && candidate.accountId !== null && candidate.passwordHash !== null
        ? succeed(tx, reserved, candidate.accountId, candidate.passwordHash)
        : fail(tx, reserved, candidate.accountId)
    })
  }

  async function begin(
    tx: Tx,
    email: string,
    address: string,
  ): Promise<{ reserved: Reservation | Refusal; candidate: Candidate }> {
    const now = clock.now()
    const caller = { id: newId(now), emailHash: emailHashOf(email), address }
    const reserved = await reserve(tx, caller, now)
    if (reserved.kind !== 'reserved') return { reserved, candidate: NOBODY }
    const account = await findAccountByEmail(tx, normalisedEmail(email))
    const candidate = account ? { accountId: account.id, passwordHash: account.passwordHash } : NOBODY
    return { reserved, candidate }
  }

  async function fail(
    tx: Tx,
    { id, emailHash, address, wouldLock }: Reservation,
    accountId: string | null,
  ): Promise<SignInResult> {
    // A concurrent success with the same e-mail may have cleared this failure, so it is marked again.
    await markFailed(tx, id)
    await failed(tx, { action: 'portal.sign-in-failed', accountId, detail: { address } })
    const until = wouldLock ? await lockedUntil(tx, emailHash, clock.now()) : undefined
    if (until !== undefined)
      await failed(tx, { action: 'portal.locked', accountId, detail: { address, until } })
    return { kind: 'wrong' }
  }

  async function succeed(
    tx: Tx,
    reservation: Reservation,
    accountId: string,
    passwordHash: string,
  ): Promise<SignInResult> {
    const { emailHash, address } = reservation
    const account = await lockAccount(tx, accountId)
    // The operator may have set another password during the check.
    if (account?.passwordHash !== passwordHash) return fail(tx, reservation, accountId)
    await clearFailures(tx, emailHash)
    if (account.status === 'suspended') {
      await failed(tx, { action: 'portal.sign-in-suspended', accountId, detail: { address } })
      return { kind: 'suspended' }
    }
    return { kind: 'in', accountId, ...(await startSession(tx, accountId, { address })) }
  }

  async function startSession(tx: Tx, accountId: string, detail: { address: string }): Promise<Session> {
    const now = clock.now()
    const token = `wp_${randomBytes(32).toString('base64url')}`
    const expiresAt = epochMs(now + SESSION_MS)
    await insertSession(tx, { tokenHash: digestOf(token), accountId, createdAt: now, expiresAt })
    await audit(tx, { actor: 'portal', action: 'portal.sign-in', accountId, detail })
    return { token, expiresAt }
  }

  async function sessionOf(token: string | undefined, now: EpochMs) {
    return token === undefined ? undefined : database.read((tx) => findSession(tx, digestOf(token), now))
  }

  return {
    async signIn({ email, password, address: from }) {
      const address = countedAddress(from)
      const caller = { emailHash: emailHashOf(email), address }
      // A refusal needs no password check, so it does not wait in the lane.
      const refusal = await database.read((tx) => refusalOf(tx, caller, clock.now()))
      if (refusal) return refusal
      return (await queued(() => attempt({ email, password, address }))) ?? { kind: 'busy' }
    },

    signInAs: (accountId, how) =>
      database.write(async (tx) => {
        const account = await lockAccount(tx, accountId)
        return account?.status === 'active' ? startSession(tx, accountId, { ...how }) : undefined
      }),

    async who(token) {
      const now = clock.now()
      const found = await sessionOf(token, now)
      if (found?.status !== 'active') return undefined
      const { accountId, email, name, walletId, currency, since } = found
      const justSignedIn = now - since < RECENT_MS
      return { accountId, email, name, wallet: { id: walletId, currency }, justSignedIn }
    },

    isSuspended: async (token) => (await sessionOf(token, clock.now()))?.status === 'suspended',

    async signOut(token) {
      await database.write(async (tx) => {
        const accountId = await deleteSession(tx, digestOf(token))
        if (accountId !== undefined)
          await audit(tx, { actor: 'portal', action: 'portal.sign-out', accountId })
      })
      for (const hear of hearSignOut) hear(token)
    },

    onSignOut: (hear) => void hearSignOut.push(hear),
  }
}
