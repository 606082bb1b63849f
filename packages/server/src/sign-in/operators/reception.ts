import type { Parts } from '../../flow/parts.ts'
import type { EpochMs } from '../../kernel/ids.ts'
import type { Clock } from '../../kernel/process/clock.ts'
import { MINUTE_MS } from '../../kernel/time/spans.ts'
import { countedAddress, wideNetwork } from '../../net/callers/client-address.ts'
import { createAudit, createFailureCount } from '../../store/audit/index.ts'
import type { Tx } from '../../store/database.ts'
import type { Sealer } from '../../store/secrets/sealing.ts'
import { digestOf, type SessionToken } from '../../store/secrets/tokens.ts'
import {
  addPasskey,
  type CodeResult,
  Codes,
  makeRecoveryCodes,
  type NewPasskey,
  ownerOfLink,
  Passkeys,
  type Site,
  useLink,
} from '../factors/index.ts'
import { findOperator, insertOperator, type OperatorRow, operatorOf, ownerOf } from './operators.ts'
import {
  activeSessions,
  deleteSession,
  findSession,
  insertSession,
  markSessionUsed,
  type OperatorSession,
  renewSession,
} from './sessions.ts'

/** The site of a desk. */
export interface DeskSite extends Site {
  /** Whether a generator's code does here, where nothing else is asked. Passkeys and recovery codes do everywhere. */
  takesGenerators: boolean
}

/** An operator's proof of identity: a passkey's signature, a generator's code, or a recovery code. */
export type Proof = { passkey: string } | { code: string }

export type SignInResult =
  | ({ kind: 'in'; operator: OperatorRow } & SessionToken)
  /** Nobody's name, a wrong code or a wrong passkey: indistinguishable. */
  | { kind: 'wrong' }
  | Extract<CodeResult, { kind: 'locked' }>

/** A first way to sign in: a passkey that was just made, or a generator's secret with one of its codes. */
export type Registration = { passkey: string } | { secret: string; code: string }

export type RegisterResult =
  | ({ kind: 'in'; recoveryCodes: string[]; operator: OperatorRow } & SessionToken)
  /** The link was used, is over, or its operator has ended. */
  | { kind: 'no link' }
  /** The passkey or the code was refused. The link is still good. */
  | { kind: 'wrong' }

/** With the new token of the session: the old one opens nothing any more. */
export type ProveResult = ({ kind: 'right' } & SessionToken) | Exclude<CodeResult, { kind: 'right' }>

/** `clock` is for what is written into the audit log. */
interface Desk extends Pick<Parts, 'database' | 'clock'> {
  /** For everything that ends. */
  realClock: Pick<Clock, 'now'>
  sealer: Sealer
  newId(now: EpochMs): string
}

/** Who opens the desk of a sandbox with one press. */
export const DEMO_OPERATOR = 'demo'
/** A session is written to this often while pages are asked for. */
const MARK_USED_MS = MINUTE_MS

/** Lets operators in. There are no passwords here. */
export class Reception {
  readonly #parts: Desk
  readonly #audit: ReturnType<typeof createAudit>
  readonly #failed: ReturnType<typeof createFailureCount>
  readonly #passkeys: Passkeys
  readonly #codes: Codes
  readonly #hearSignOut: ((token: string) => void)[] = []

  constructor(parts: Desk) {
    const { database, realClock } = parts
    this.#parts = parts
    this.#audit = createAudit(parts)
    this.#failed = createFailureCount(parts)
    this.#passkeys = new Passkeys({ database, clock: realClock })
    this.#codes = new Codes({ ...parts, clock: realClock })
  }

  /** Whose link it is; undefined when it is not good. */
  linked(secret: string): Promise<OperatorRow | undefined> {
    return this.#parts.database.read(async (tx) => {
      const owner = await ownerOfLink(tx, secret, this.#parts.realClock.now())
      return owner && operatorOf(tx, owner.id)
    })
  }

  /** Registers a way to sign in for the owner of a link, and signs them in. */
  async register(
    secret: string,
    registration: Registration,
    site: DeskSite,
    address: string,
  ): Promise<RegisterResult> {
    const owner = await this.#parts.database.read((tx) =>
      ownerOfLink(tx, secret, this.#parts.realClock.now()),
    )
    if (!owner) return { kind: 'no link' }
    const passkey =
      'passkey' in registration ? await this.#passkeys.created(owner, registration.passkey, site) : undefined
    try {
      return await this.#parts.database.write(async (tx): Promise<RegisterResult> => {
        const used = await useLink(tx, secret, this.#parts.realClock.now())
        const operator = used && (await operatorOf(tx, used.id))
        if (!operator) return { kind: 'no link' }
        const by = await this.#take(tx, operator, registration, passkey, site)
        if (by === undefined) throw new NotRegistered()
        const recoveryCodes = await makeRecoveryCodes(tx, ownerOf(operator), this.#parts.realClock.now())
        await this.#audit(tx, {
          actor: actorOf(operator.name),
          action: 'operator.register',
          detail: { by, address },
        })
        return {
          kind: 'in',
          operator,
          recoveryCodes,
          ...(await this.#startSession(tx, operator, { by, address })),
        }
      })
    } catch (error) {
      if (error instanceof NotRegistered) return { kind: 'wrong' }
      throw error
    }
  }

  async signIn(
    proof: { passkey: string } | { name: string; code: string },
    site: DeskSite,
    address: string,
  ): Promise<SignInResult> {
    if ('passkey' in proof) {
      const asked = { purpose: 'sign-in', owner: { kind: 'operator', id: '' } } as const
      const owner = await this.#passkeys.signed(asked, proof.passkey, site)
      const result: SignInResult = owner ? await this.#letIn(owner.id, 'passkey', address) : { kind: 'wrong' }
      if (result.kind === 'wrong') await this.#countFailed({ address })
      return result
    }
    // PostgreSQL looks up no zero characters.
    const name = proof.name.replaceAll('\0', '').trim()
    const operator = await this.#parts.database.read((tx) => findOperator(tx, name))
    const result = await this.#checkCode({ name, code: proof.code }, operator, site, address)
    if (result.kind === 'right' && operator) return this.#letIn(operator.id, result.by, address)
    // Not what was typed, which may be a secret in the wrong field.
    await this.#countFailed({ address, name: operator?.name })
    return result.kind === 'locked' ? result : { kind: 'wrong' }
  }

  /** Options for a browser to make a passkey, or to use one. */
  creation(operator: Pick<OperatorRow, 'id' | 'name'>, site: Site): ReturnType<Passkeys['creation']> {
    return this.#passkeys.creation(ownerOf(operator), operator.name, site)
  }

  request(operator: Pick<OperatorRow, 'id'> | undefined, site: Site): ReturnType<Passkeys['request']> {
    return this.#passkeys.request(
      operator
        ? { purpose: 'prove', owner: ownerOf(operator) }
        : { purpose: 'sign-in', owner: { kind: 'operator', id: '' } },
      site,
    )
  }

  /** Has a session show again who it is. */
  async prove(token: string, proof: Proof, site: DeskSite, address: string): Promise<ProveResult> {
    const session = await this.#parts.database.read((tx) =>
      findSession(tx, digestOf(token), this.#parts.realClock.now()),
    )
    if (!session) return { kind: 'wrong' }
    const owner = ownerOf(session)
    if ('passkey' in proof) {
      if (!(await this.#passkeys.signed({ purpose: 'prove', owner }, proof.passkey, site)))
        return { kind: 'wrong' }
    } else {
      const result = await this.#checkCode({ name: session.name, code: proof.code }, session, site, address)
      if (result.kind !== 'right') return result
    }
    const renewed = await this.#parts.database.write((tx) =>
      renewSession(tx, token, this.#parts.realClock.now()),
    )
    return renewed ? { kind: 'right', ...renewed } : { kind: 'wrong' }
  }

  /** The operator of a session. A session that is only watched ages as if it was not used. */
  async who(token: string | undefined, isUsed: boolean = true): Promise<OperatorSession | undefined> {
    if (token === undefined) return undefined
    const now = this.#parts.realClock.now()
    const tokenHash = digestOf(token)
    const session = await this.#parts.database.read((tx) => findSession(tx, tokenHash, now))
    if (session && isUsed && now - session.usedAt >= MARK_USED_MS)
      await this.#parts.database.write((tx) => markSessionUsed(tx, tokenHash, now), { patient: true })
    return session
  }

  /** Which of these tokens `who` would name somebody for. They are not used by that. */
  active(tokens: readonly string[]): Promise<ReadonlySet<string>> {
    return this.#parts.database.read((tx) => activeSessions(tx, tokens, this.#parts.realClock.now()))
  }

  async signOut(token: string): Promise<void> {
    await this.#parts.database.write(async (tx) => {
      const name = await deleteSession(tx, digestOf(token))
      if (name !== undefined) await this.#audit(tx, { actor: actorOf(name), action: 'operator.sign-out' })
    })
    for (const hear of this.#hearSignOut) hear(token)
  }

  /** Calls `hear` with each session that is signed out in this process. `who` tells of every other end. */
  onSignOut(hear: (token: string) => void): void {
    this.#hearSignOut.push(hear)
  }

  /** In a sandbox: signs in as its operator, who has nothing to sign in with. */
  openDemo(address: string): Promise<SessionToken> {
    return this.#parts.database.write(async (tx) => {
      const id = this.#parts.newId(this.#parts.clock.now())
      const operator =
        (await findOperator(tx, DEMO_OPERATOR)) ??
        (await insertOperator(tx, { id, name: DEMO_OPERATOR, role: 'act', now: this.#parts.clock.now() }))
      return this.#startSession(tx, operator, { by: 'one press in the sandbox', address })
    })
  }

  async #take(
    tx: Tx,
    operator: OperatorRow,
    registration: Registration,
    passkey: NewPasskey | undefined,
    { takesGenerators }: DeskSite,
  ): Promise<string | undefined> {
    const owner = ownerOf(operator)
    if ('code' in registration) {
      if (!takesGenerators) return undefined
      const { secret, code } = registration
      return (await this.#codes.add(tx, owner, secret, code)) ? 'code generator' : undefined
    }
    if (!passkey) return undefined
    await addPasskey(tx, owner, passkey, this.#parts.realClock.now())
    return 'passkey'
  }

  async #startSession(
    tx: Tx,
    { id, name }: OperatorRow,
    detail: Record<string, unknown>,
  ): Promise<SessionToken> {
    const session = await insertSession(tx, id, this.#parts.realClock.now())
    await this.#audit(tx, { actor: actorOf(name), action: 'operator.sign-in', detail })
    return session
  }

  /** The operator may have ended since, so they are read again in the transaction that makes the session. */
  async #letIn(id: string, by: string, address: string): Promise<SignInResult> {
    return this.#parts.database.write(async (tx) => {
      const operator = await operatorOf(tx, id)
      if (!operator) return { kind: 'wrong' }
      return { kind: 'in', operator, ...(await this.#startSession(tx, operator, { by, address })) }
    })
  }

  #checkCode(
    { name, code }: { name: string; code: string },
    operator: Pick<OperatorRow, 'id'> | undefined,
    { takesGenerators }: DeskSite,
    address: string,
  ): Promise<CodeResult> {
    const owner = operator && ownerOf(operator)
    if (!takesGenerators) return this.#codes.recover(owner, code)
    const counted = countedAddress(address)
    return this.#codes.check(
      { kind: 'operator', owner, name, network: wideNetwork(counted) ?? counted },
      code,
    )
  }

  #countFailed(detail: { address: string; name?: string | undefined }): Promise<void> {
    const failure = { action: 'operator.sign-in-failed', accountId: null, detail } as const
    return this.#parts.database.write((tx) => this.#failed(tx, failure))
  }
}

/** Takes back that the link was used. */
class NotRegistered extends Error {}

/** An operator in the audit log. */
export function actorOf(name: string): string {
  return `operator:${name}`
}
