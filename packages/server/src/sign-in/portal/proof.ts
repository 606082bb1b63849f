import { digestOf } from '../../accounts/index.ts'
import { epochMs } from '../../kernel/ids.ts'
import { actorOf } from '../../store/audit/index.ts'
import type { Tx } from '../../store/database.ts'
import type { SessionToken } from '../../store/secrets/tokens.ts'
import { type CodeResult, hasFactor, type Passkeys, type Site } from '../factors/index.ts'
import type { CheckPassword, PasswordResult } from './passwords/passwords.ts'
import { type Enter, type EnterResult, ownerOf, type WaysIn } from './portal.ts'
import { type From, findSession, renewSession, SESSION_MS, type SignedIn } from './sessions.ts'

/** A proof of identity, during a sign-in or after it. */
export type Proof = { passkey: string } | { code: string } | { password: string }

/** Somebody of whom something is still asked before they are in. */
export type Half = Pick<SignedIn, 'personId' | 'email' | 'accountId' | 'name'> & { state: 'show' | 'get' }

/** A right password does where there is no factor; its refusals are those of a sign-in. */
export type ProveResult = ShowResult | PasswordResult<ShowResult>

/** With the new token of the session: the old one opens nothing any more. */
export type ShowResult = ({ kind: 'right' } & SessionToken) | Exclude<CodeResult, { kind: 'right' }>

const ANYBODY = { kind: 'person', id: '' } as const

/** How people show who they are beyond a password, and show it again. */
export class Proofs {
  readonly #parts: WaysIn
  readonly #checkPassword: CheckPassword
  readonly #enter: Enter

  constructor(parts: WaysIn, own: { checkPassword: CheckPassword; enter: Enter }) {
    this.#parts = parts
    this.#checkPassword = own.checkPassword
    this.#enter = own.enter
  }

  /** Who is half in with this token. */
  async half(token: string | undefined): Promise<Half | undefined> {
    const session = token === undefined ? undefined : await this.#sessionOf(token)
    if (!session || session.state === 'in' || session.status !== 'active') return undefined
    const { state, personId, email, accountId, name } = session
    return { state, personId, email, accountId, name }
  }

  /** Signs in with a passkey alone. */
  async signIn(answer: string, site: Site, from: From): Promise<EnterResult> {
    const owner = await this.#parts.passkeys.signed({ purpose: 'sign-in', owner: ANYBODY }, answer, site)
    if (!owner) return { kind: 'wrong' }
    return this.#parts.database.write((tx) => this.#enter(tx, owner.id, 'passkey', from))
  }

  /** Takes what is asked of somebody who is half in. */
  async show(token: string, proof: Proof, site: Site): Promise<ShowResult> {
    const session = await this.#sessionOf(token)
    if (session?.state !== 'show' || 'password' in proof) return { kind: 'wrong' }
    const result = await this.#check(session, proof, site)
    if (result.kind !== 'right') return result
    const { personId, accountId } = session
    const now = this.#parts.clock.now()
    return this.#parts.database.write(async (tx): Promise<ShowResult> => {
      const change = { state: 'in', proof: result.by, usedAt: now, provenAt: now } as const
      const renewed = await renewSession(tx, token, { ...change, expiresAt: epochMs(now + SESSION_MS) })
      if (!renewed) return { kind: 'wrong' }
      const detail = { by: result.by }
      await this.#parts.audit(tx, { actor: actorOf(personId), action: 'portal.sign-in', accountId, detail })
      return { kind: 'right', ...renewed }
    })
  }

  /** Has a session show again who it is. */
  async prove(token: string, proof: Proof, site: Site, address: string): Promise<ProveResult> {
    const session = await this.#sessionOf(token)
    if (session?.state !== 'in') return { kind: 'wrong' }
    const { personId, email } = session
    const renew = async (tx: Tx): Promise<ShowResult> => {
      const renewed = await renewSession(tx, token, { provenAt: this.#parts.clock.now() })
      return renewed ? { kind: 'right', ...renewed } : { kind: 'wrong' }
    }
    if ('password' in proof) {
      if (await this.#hasMore(personId)) return { kind: 'wrong' }
      return this.#checkPassword({ email, password: proof.password, address }, renew)
    }
    const result = await this.#check(session, proof, site)
    return result.kind === 'right' ? this.#parts.database.write(renew) : result
  }

  /** Whether a person shows a password or more. */
  async asks(personId: string): Promise<'password' | 'factor'> {
    return (await this.#hasMore(personId)) ? 'factor' : 'password'
  }

  /** Options for a browser to use a passkey; without a person, anybody's. */
  request(personId: string | undefined, site: Site): ReturnType<Passkeys['request']> {
    return this.#parts.passkeys.request(
      personId === undefined
        ? { purpose: 'sign-in', owner: ANYBODY }
        : { purpose: 'prove', owner: ownerOf(personId) },
      site,
    )
  }

  /** Checks a passkey or a code of somebody. */
  async #check(
    { personId, email, accountId }: Pick<SignedIn, 'personId' | 'email' | 'accountId'>,
    proof: { passkey: string } | { code: string },
    site: Site,
  ): Promise<CodeResult | { kind: 'right'; by: 'passkey' }> {
    const owner = ownerOf(personId)
    if ('passkey' in proof) {
      const signed = await this.#parts.passkeys.signed({ purpose: 'prove', owner }, proof.passkey, site)
      return signed ? { kind: 'right', by: 'passkey' } : { kind: 'wrong' }
    }
    const result = await this.#parts.codes.check({ kind: 'person', owner, name: email }, proof.code)
    if (result.kind === 'right' && result.by === 'recovery code')
      await this.#parts.database.write(async (tx) => {
        await this.#parts.audit(tx, { actor: actorOf(personId), action: 'person.recovery-code', accountId })
        const news = { accountId, personId, factor: 'recovery code' }
        await this.#parts.tell(tx, { type: 'person.recovery_code_used', ...news })
      })
    return result
  }

  #sessionOf(token: string) {
    return this.#parts.database.read((tx) => findSession(tx, digestOf(token), this.#parts.clock.now()))
  }

  #hasMore(personId: string): Promise<boolean> {
    return this.#parts.database.read((tx) => hasFactor(tx, ownerOf(personId)))
  }
}
