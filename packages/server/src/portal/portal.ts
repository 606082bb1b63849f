import { digestOf } from '../accounts/index.ts'

import { actorOf, createAudit, createFailureCount } from '../audit/index.ts'

import { type EpochMs, epochMs } from '../domain/ids.ts'
import { hasFactor, type Owner } from '../factors/index.ts'
import { accountsOfPerson, type Membership, membersOf } from '../people/index.ts'
import type { Clock } from '../platform/clock.ts'
import type { Database, Tx } from '../platform/database/database.ts'
import type { Role, SessionProof, SessionState } from '../platform/database/schema.ts'
import { countedAddress } from '../platform/http/client-address.ts'
import type { SessionToken } from '../platform/secrets/session-tokens.ts'
import type { CheckPassword, PasswordResult } from './passwords/passwords.ts'
import {
  activeSessions,
  changeSession,
  deleteSession,
  type From,
  findSession,
  HALF_MS,
  insertSession,
  type NewSession,
  type SignedIn,
} from './sessions.ts'

/** How long what somebody showed counts for what asks for it again. */
const RECENT_MS = 10 * 60_000
/** A session is written to this often while pages are asked for. */
const MARK_USED_MS = 60_000

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
  role: Role
  wallet: { id: string; currency: string }
  /** Showed who they are less than ten minutes ago. Otherwise what matters asks again. */
  justProven: boolean
  /** What they signed in with. */
  proof: SessionProof
}

/** Signs people in to the accounts that they are in. */
export interface Portal {
  signIn(request: SignInRequest): Promise<SignInResult>
  /** The person who is in with this token; undefined when the session or the account is not active. */
  who(token: string | undefined): Promise<Person | undefined>
  /** Which of these tokens `who` would name somebody for. */
  active(tokens: readonly string[]): Promise<ReadonlySet<string>>
  /** Whether this token's session would be active if its account were not suspended. */
  isSuspended(token: string | undefined): Promise<boolean>
  /** The accounts that a person may open. */
  accounts(personId: string): Promise<Membership[]>
  /** Opens another account in a session. What it still asks of the person; undefined when they are not in it. */
  choose(token: string, accountId: string): Promise<SessionState | undefined>
  signOut(token: string): Promise<void>
  /** Calls `hear` with each session that is signed out in this process. `who` tells of every other end. */
  onSignOut(hear: (token: string) => void): void
}

/** Signs people in without a password. Not part of {@link Portal}, so that no page can reach it. */
export interface OpenPortal extends Portal {
  /** As an owner of an account. Undefined when it is not active. */
  signInAs(accountId: string, from: From): Promise<Session | undefined>
}

export interface PortalOptions {
  database: Database
  /** The real time, by which sessions end. */
  clock: Pick<Clock, 'now'>
  /** For what is written into the audit log. */
  auditClock: Pick<Clock, 'now'>
  newId(now: EpochMs): string
  checkPassword: CheckPassword
}

/** Begins the session of somebody who showed who they are. */
export type Enter = (tx: Tx, personId: string, proof: SessionProof, from: From) => Promise<EnterResult>

export function createPortal(options: PortalOptions): { portal: OpenPortal; enter: Enter } {
  const { database, clock, newId, auditClock, checkPassword } = options
  const audit = createAudit({ clock: auditClock, newId })
  const failed = createFailureCount({ clock: auditClock })
  const hearSignOut: ((token: string) => void)[] = []

  const enter: Enter = async (tx, personId, proof, from) => {
    const address = countedAddress(from.address)
    const all = await accountsOfPerson(tx, personId)
    const [account, ...others] = all.filter(({ status }) => status === 'active')
    if (!account) {
      const accountId = all[0]?.accountId
      if (accountId === undefined) return { kind: 'wrong' }
      await failed(tx, { action: 'portal.sign-in-suspended', accountId, detail: { address } })
      return { kind: 'suspended' }
    }
    const { accountId } = account
    const state = await stillAsked(tx, personId, proof, account)
    const session = await startSession(tx, { personId, accountId, proof, state, ...from, address })
    return { kind: 'in', ...session, accounts: 1 + others.length }
  }

  async function startSession(tx: Tx, session: NewSession): Promise<Omit<Session, 'accounts'>> {
    const { personId, accountId, proof, state, address } = session
    const begun = await insertSession(tx, session, clock.now())
    if (state === 'in') {
      const detail = { by: proof, address }
      await audit(tx, { actor: actorOf(personId), action: 'portal.sign-in', accountId, detail })
    }
    return { ...begun, state }
  }

  async function sessionOf(token: string | undefined) {
    return token === undefined
      ? undefined
      : database.read((tx) => findSession(tx, digestOf(token), clock.now()))
  }

  const portal: OpenPortal = {
    signIn: ({ email, password, browser, address }) =>
      checkPassword({ email, password, address }, (tx, { id }) =>
        enter(tx, id, 'password', { address, browser }),
      ),

    signInAs: (accountId, from) =>
      database.write(async (tx) => {
        const owner = (await membersOf(tx, accountId)).find(({ role }) => role === 'owner')
        const accounts = owner ? await accountsOfPerson(tx, owner.personId) : []
        const account = accounts.find((one) => one.accountId === accountId)
        if (!owner || account?.status !== 'active') return undefined
        const session = { personId: owner.personId, accountId, proof: 'sandbox', state: 'in' } as const
        return { ...(await startSession(tx, { ...session, ...from })), accounts: 1 }
      }),

    async who(token) {
      const found = await sessionOf(token)
      if (token === undefined || found?.state !== 'in' || found.status !== 'active') return undefined
      const now = clock.now()
      if (now - found.usedAt >= MARK_USED_MS)
        await database.write((tx) => changeSession(tx, digestOf(token), { usedAt: now }), { patient: true })
      return personOf(found, now)
    },

    active: (tokens) => database.read((tx) => activeSessions(tx, tokens, clock.now())),

    isSuspended: async (token) => (await sessionOf(token))?.status === 'suspended',

    accounts: (personId) => database.read((tx) => accountsOfPerson(tx, personId)),

    choose: (token, accountId) =>
      database.write(async (tx) => {
        const session = await findSession(tx, digestOf(token), clock.now())
        if (session?.state !== 'in') return undefined
        const account = (await accountsOfPerson(tx, session.personId)).find(
          (one) => one.accountId === accountId,
        )
        if (account?.status !== 'active') return undefined
        const state = await stillAsked(tx, session.personId, session.proof, account)
        // Who does not go on to show more is signed out soon.
        const expiresAt = epochMs(clock.now() + HALF_MS)
        await changeSession(tx, digestOf(token), { accountId, state, ...(state !== 'in' && { expiresAt }) })
        return state
      }),

    async signOut(token) {
      await database.write(async (tx) => {
        const ended = await deleteSession(tx, digestOf(token))
        if (ended)
          await audit(tx, {
            actor: actorOf(ended.personId),
            action: 'portal.sign-out',
            accountId: ended.accountId,
          })
      })
      for (const hear of hearSignOut) hear(token)
    },

    onSignOut: (hear) => void hearSignOut.push(hear),
  }
  return { portal, enter }
}

/** What an account still asks of somebody who showed so much. A password is not enough where there is more. */
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
  const { personId, email, accountId, name, role, walletId, currency, provenAt, proof } = session
  return {
    ...{ personId, email, accountId, name, role, wallet: { id: walletId, currency } },
    ...{ justProven: now - provenAt < RECENT_MS, proof },
  }
}
