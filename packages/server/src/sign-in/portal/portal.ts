import { digestOf } from '../../accounts/index.ts'
import { accountsOfPerson, type Membership, membersOf } from '../../accounts/people/index.ts'
import type { Parts } from '../../flow/parts.ts'
import { type EpochMs, epochMs } from '../../kernel/ids.ts'
import type { Clock } from '../../kernel/process/clock.ts'
import { MINUTE_MS } from '../../kernel/time/spans.ts'
import { countedAddress } from '../../net/callers/client-address.ts'
import { type Audit, actorOf, createFailureCount } from '../../store/audit/index.ts'
import type { Tx } from '../../store/database.ts'
import type { Role, SessionProof, SessionState } from '../../store/schema/schema.ts'
import type { SessionToken } from '../../store/secrets/tokens.ts'
import { type Codes, hasFactor, type Owner, type Passkeys } from '../factors/index.ts'
import type { CheckPassword, PasswordResult } from './passwords/passwords.ts'
import {
  activeSessions,
  changeSession,
  deleteSession,
  type From,
  findSession,
  HALF_IN_MS,
  insertSession,
  type NewSession,
  type SignedIn,
} from './sessions.ts'

/** How long what somebody showed counts for what asks for it again. */
const RECENT_MS = 10 * MINUTE_MS
/** A session is written to this often while pages are asked for. */
const MARK_USED_MS = MINUTE_MS

/** A new session. The token goes into a cookie of the browser. */
export interface Session extends SessionToken {
  state: SessionState
  /** How many accounts the person may open. */
  accounts: number
}

export type EnterResult =
  | ({ kind: 'in' } & Session)
  /** Nobody's, or somebody's who is in no account any more. */
  | { kind: 'wrong' }
  /** All their accounts are. Said only to who showed who they are. */
  | { kind: 'suspended' }

export type SignInResult = PasswordResult<EnterResult>

export interface SignInRequest extends From {
  email: string
  password: string
}

/** The person behind a session. */
export interface Person {
  personId: string
  email: string
  /** The account that is open. */
  accountId: string
  /** Of the account. */
  name: string
  /** Of the account, for numbers that are written without a country code; empty for none. */
  country: string
  role: Role
  wallet: { id: string; currency: string }
  /** Showed who they are less than ten minutes ago. Otherwise what matters asks again. */
  justProven: boolean
  proof: SessionProof
}

/** Begins the session of somebody who showed who they are. */
export type Enter = OpenPortal['enter']

/** The parts that all ways in share. */
export interface WaysIn extends Pick<Parts, 'database'> {
  /** The real time, by which people wait and sessions end: a sandbox's clock may be moved. */
  clock: Clock
  newId(now: EpochMs): string
  audit: Audit
  passkeys: Passkeys
  codes: Codes
  tell: TellOperator
}

/** Tells the operator about how somebody signs in, in the transaction of what happened. */
export type TellOperator = (
  tx: Tx,
  news: {
    type: 'person.factor_added' | 'person.recovery_code_used'
    accountId: string
    personId: string
    factor: string
  },
) => Promise<void>

/** Signs people in to the accounts that they are in, for pages: none of them can do it without a proof. */
export type Portal = Omit<OpenPortal, 'signInAs' | 'enter'>

/** Signs people in, also without a password. */
export class OpenPortal {
  readonly #parts: Pick<WaysIn, 'database' | 'clock' | 'audit'>
  readonly #checkPassword: CheckPassword
  readonly #failed: ReturnType<typeof createFailureCount>
  readonly #hearSignOut: ((token: string) => void)[] = []

  constructor(
    parts: Pick<WaysIn, 'database' | 'clock' | 'audit'>,
    own: {
      checkPassword: CheckPassword
      /** For what is written into the audit log. */
      auditClock: Pick<Clock, 'now'>
    },
  ) {
    this.#parts = parts
    this.#checkPassword = own.checkPassword
    this.#failed = createFailureCount({ clock: own.auditClock })
  }

  signIn({ email, password, browser, address }: SignInRequest): Promise<SignInResult> {
    return this.#checkPassword({ email, password, address }, (tx, { id }) =>
      this.enter(tx, id, 'password', { address, browser }),
    )
  }

  /** As an owner of an account. Undefined when it is not active. */
  signInAs(accountId: string, from: From): Promise<Session | undefined> {
    return this.#parts.database.write(async (tx) => {
      const owner = (await membersOf(tx, accountId)).find(({ role }) => role === 'owner')
      const accounts = owner ? await accountsOfPerson(tx, owner.personId) : []
      const account = accounts.find((one) => one.accountId === accountId)
      if (!owner || account?.status !== 'active') return undefined
      const session = { personId: owner.personId, accountId, proof: 'sandbox', state: 'in' } as const
      return { ...(await this.#startSession(tx, { ...session, ...from })), accounts: 1 }
    })
  }

  /** Begins the session of somebody who showed who they are. */
  async enter(tx: Tx, personId: string, proof: SessionProof, from: From): Promise<EnterResult> {
    const address = countedAddress(from.address)
    const all = await accountsOfPerson(tx, personId)
    const [account, ...others] = all.filter(({ status }) => status === 'active')
    if (!account) {
      const accountId = all[0]?.accountId
      if (accountId === undefined) return { kind: 'wrong' }
      await this.#failed(tx, { action: 'portal.sign-in-suspended', accountId, detail: { address } })
      return { kind: 'suspended' }
    }
    const { accountId } = account
    const state = await stillAsked(tx, personId, proof, account)
    const session = await this.#startSession(tx, { personId, accountId, proof, state, ...from, address })
    return { kind: 'in', ...session, accounts: 1 + others.length }
  }

  /** The person who is in with this token; undefined when the session or the account is not active. */
  async who(token: string | undefined): Promise<Person | undefined> {
    const { database, clock } = this.#parts
    const found = await this.#sessionOf(token)
    if (token === undefined || found?.state !== 'in' || found.status !== 'active') return undefined
    const now = clock.now()
    if (now - found.usedAt >= MARK_USED_MS)
      await database.write((tx) => changeSession(tx, digestOf(token), { usedAt: now }), { patient: true })
    return personOf(found, now)
  }

  /** Which of these tokens `who` would name somebody for. */
  active(tokens: readonly string[]): Promise<ReadonlySet<string>> {
    const { database, clock } = this.#parts
    return database.read((tx) => activeSessions(tx, tokens, clock.now()))
  }

  /** Whether this token's session would be active if its account were not suspended. */
  async isSuspended(token: string | undefined): Promise<boolean> {
    return (await this.#sessionOf(token))?.status === 'suspended'
  }

  /** The accounts that a person may open. */
  accounts(personId: string): Promise<Membership[]> {
    return this.#parts.database.read((tx) => accountsOfPerson(tx, personId))
  }

  /**
   * Opens another account in a session, and returns the session's state. Undefined when the account is
   * suspended, or the person is not in it.
   */
  choose(token: string, accountId: string): Promise<SessionState | undefined> {
    const { database, clock } = this.#parts
    return database.write(async (tx) => {
      const session = await findSession(tx, digestOf(token), clock.now())
      if (session?.state !== 'in') return undefined
      const account = (await accountsOfPerson(tx, session.personId)).find(
        (one) => one.accountId === accountId,
      )
      if (account?.status !== 'active') return undefined
      const state = await stillAsked(tx, session.personId, session.proof, account)
      // Who does not go on to show more is signed out soon.
      const expiresAt = epochMs(clock.now() + HALF_IN_MS)
      await changeSession(tx, digestOf(token), { accountId, state, ...(state !== 'in' && { expiresAt }) })
      return state
    })
  }

  async signOut(token: string): Promise<void> {
    const { database, audit } = this.#parts
    await database.write(async (tx) => {
      const ended = await deleteSession(tx, digestOf(token))
      if (ended)
        await audit(tx, {
          actor: actorOf(ended.personId),
          action: 'portal.sign-out',
          accountId: ended.accountId,
        })
    })
    for (const hear of this.#hearSignOut) hear(token)
  }

  /** Calls `hear` with each session that is signed out in this process. `who` tells of every other end. */
  onSignOut(hear: (token: string) => void): void {
    this.#hearSignOut.push(hear)
  }

  async #startSession(tx: Tx, session: NewSession): Promise<Omit<Session, 'accounts'>> {
    const { clock, audit } = this.#parts
    const { personId, accountId, proof, state, address } = session
    const begun = await insertSession(tx, session, clock.now())
    if (state === 'in') {
      const detail = { by: proof, address }
      await audit(tx, { actor: actorOf(personId), action: 'portal.sign-in', accountId, detail })
    }
    return { ...begun, state }
  }

  async #sessionOf(token: string | undefined) {
    const { database, clock } = this.#parts
    return token === undefined
      ? undefined
      : database.read((tx) => findSession(tx, digestOf(token), clock.now()))
  }
}

/**
 * The session's state after a proof. A password alone does not do if the person has a factor, or the account
 * requires one.
 */
async function stillAsked(
  tx: Tx,
  personId: string,
  proof: SessionProof,
  { needsFactor }: Pick<Membership, 'needsFactor'>,
): Promise<SessionState> {
  if (proof !== 'password') return 'in'
  if (await hasFactor(tx, ownerOf(personId))) return 'show'
  return needsFactor ? 'get' : 'in'
}

export function ownerOf(personId: string): Owner {
  return { kind: 'person', id: personId }
}

function personOf(session: SignedIn, now: EpochMs): Person {
  const { personId, email, accountId, name, country, role, walletId, currency, provenAt, proof } = session
  return {
    personId,
    email,
    accountId,
    name,
    country,
    role,
    wallet: { id: walletId, currency },
    justProven: now - provenAt < RECENT_MS,
    proof,
  }
}
