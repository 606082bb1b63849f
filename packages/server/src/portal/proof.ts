import { digestOf } from '../accounts/index.ts'
import { actorOf, createAudit } from '../audit/index.ts'
import { type EpochMs, epochMs } from '../domain/ids.ts'
import {
  type CodeResult,
  createCodes,
  createPasskeys,
  hasFactor,
  type Passkeys,
  type Site,
} from '../factors/index.ts'

import type { Clock } from '../platform/clock.ts'
import type { Database, Tx } from '../platform/database/database.ts'
import type { Sealer } from '../platform/secrets/sealing.ts'
import type { SessionToken } from '../platform/secrets/session-tokens.ts'
import type { TellOperator } from './own-factors.ts'
import type { CheckPassword, PasswordResult } from './passwords/passwords.ts'
import { type Enter, type EnterResult, ownerOf } from './portal.ts'
import { type From, findSession, renewSession, SESSION_MS, type SignedIn } from './sessions.ts'

/** What somebody shows who has signed in, or is about to. */
export type Proof = { passkey: string } | { code: string } | { password: string }

/** Somebody of whom something is still asked before they are in. */
export type Half = Pick<SignedIn, 'personId' | 'email' | 'accountId' | 'name'> & { state: 'show' | 'get' }

/** A right password does where there is no factor; its refusals are those of a sign-in. */
export type ProveResult = ShowResult | PasswordResult<ShowResult>

/** With the new token of the session: the old one opens nothing any more. */
export type ShowResult = ({ kind: 'right' } & SessionToken) | Exclude<CodeResult, { kind: 'right' }>

/** How people show who they are beyond a password, and show it again. */
export interface Proofs {
  /** Who is half in with this token. */
  half(token: string | undefined): Promise<Half | undefined>
  /** Signs in with a passkey alone. */
  signIn(answer: string, site: Site, from: From): Promise<EnterResult>
  /** Takes what is asked of somebody who is half in. */
  show(token: string, proof: Proof, site: Site): Promise<ShowResult>
  /** Has a session show again who it is. */
  prove(token: string, proof: Proof, site: Site, address: string): Promise<ProveResult>
  /** Whether a person shows a password or more. */
  asks(personId: string): Promise<'password' | 'factor'>
  /** What a browser needs to sign in with a passkey, or for somebody to show one. */
  request(personId: string | undefined, site: Site): ReturnType<Passkeys['request']>
}

export interface ProofsParts {
  database: Database
  /** The real time. */
  clock: Clock
  auditClock: Pick<Clock, 'now'>
  newId(now: EpochMs): string
  sealer: Sealer
  checkPassword: CheckPassword
  enter: Enter
  tell: TellOperator
}

const ANYBODY = { kind: 'person', id: '' } as const

export function createProofs(parts: ProofsParts): Proofs {
  const { database, clock, newId, checkPassword, enter } = parts
  const passkeys = createPasskeys({ database, clock })
  const codes = createCodes(parts)
  const audit = createAudit({ clock: parts.auditClock, newId })

  const sessionOf = (token: string) => database.read((tx) => findSession(tx, digestOf(token), clock.now()))

  const hasMore = (personId: string) => database.read((tx) => hasFactor(tx, ownerOf(personId)))

  /** Checks a passkey or a code of somebody. */
  async function check(
    { personId, email, accountId }: Pick<SignedIn, 'personId' | 'email' | 'accountId'>,
    proof: { passkey: string } | { code: string },
    site: Site,
  ): Promise<CodeResult | { kind: 'right'; by: 'passkey' }> {
    const owner = ownerOf(personId)
    if ('passkey' in proof) {
      const signed = await passkeys.signed({ purpose: 'prove', owner }, proof.passkey, site)
      return signed ? { kind: 'right', by: 'passkey' } : { kind: 'wrong' }
    }
    const result = await codes.check({ kind: 'person', owner, name: email }, proof.code)
    if (result.kind === 'right' && result.by === 'recovery code')
      await database.write(async (tx) => {
        await audit(tx, { actor: actorOf(personId), action: 'person.recovery-code', accountId })
        const news = { accountId, personId, factor: 'recovery code' }
        await parts.tell(tx, { type: 'person.recovery_code_used', ...news })
      })
    return result
  }

  return {
    async half(token) {
      const session = token === undefined ? undefined : await sessionOf(token)
      if (!session || session.state === 'in' || session.status !== 'active') return undefined
      const { state, personId, email, accountId, name } = session
      return { state, personId, email, accountId, name }
    },

    async signIn(answer, site, from) {
      const owner = await passkeys.signed({ purpose: 'sign-in', owner: ANYBODY }, answer, site)
      if (!owner) return { kind: 'wrong' }
      return database.write((tx) => enter(tx, owner.id, 'passkey', from))
    },

    async show(token, proof, site) {
      const session = await sessionOf(token)
      if (session?.state !== 'show' || 'password' in proof) return { kind: 'wrong' }
      const result = await check(session, proof, site)
      if (result.kind !== 'right') return result
      const { personId, accountId } = session
      const now = clock.now()
      return database.write(async (tx): Promise<ShowResult> => {
        const change = { state: 'in', proof: result.by, usedAt: now, provenAt: now } as const
        const renewed = await renewSession(tx, token, { ...change, expiresAt: epochMs(now + SESSION_MS) })
        if (!renewed) return { kind: 'wrong' }
        const detail = { by: result.by }
        await audit(tx, { actor: actorOf(personId), action: 'portal.sign-in', accountId, detail })
        return { kind: 'right', ...renewed }
      })
    },

    async prove(token, proof, site, address) {
      const session = await sessionOf(token)
      if (session?.state !== 'in') return { kind: 'wrong' }
      const { personId, email } = session
      const renew = async (tx: Tx): Promise<ShowResult> => {
        const renewed = await renewSession(tx, token, { provenAt: clock.now() })
        return renewed ? { kind: 'right', ...renewed } : { kind: 'wrong' }
      }
      if ('password' in proof) {
        if (await hasMore(personId)) return { kind: 'wrong' }
        return checkPassword({ email, password: proof.password, address }, renew)
      }
      const result = await check(session, proof, site)
      return result.kind === 'right' ? database.write(renew) : result
    },

    asks: async (personId) => ((await hasMore(personId)) ? 'factor' : 'password'),

    request: (personId, site) =>
      passkeys.request(
        personId === undefined
          ? { purpose: 'sign-in', owner: ANYBODY }
          : { purpose: 'prove', owner: ownerOf(personId) },
        site,
      ),
  }
}
