import { createAudit, createFailureCount } from '../audit/index.ts'
import type { EpochMs } from '../domain/ids.ts'
import {
  addPasskey,
  type CodeResult,
  createCodes,
  createPasskeys,
  makeRecoveryCodes,
  type NewPasskey,
  ownerOfLink,
  type Passkeys,
  type Site,
  useLink,
} from '../factors/index.ts'
import type { Clock } from '../platform/clock.ts'
import type { Database, Tx } from '../platform/database/database.ts'
import { countedAddress, wideNetwork } from '../platform/http/client-address.ts'
import { digestOf } from '../platform/secrets/digest.ts'
import type { Sealer } from '../platform/secrets/sealing.ts'
import type { SessionToken } from '../platform/secrets/session-tokens.ts'
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

/** What an operator showed: a passkey's signature, or a code of their generator or in its place. */
export type Proof = { passkey: string } | { code: string }

export type SignInResult =
  | ({ kind: 'in'; operator: OperatorRow } & SessionToken)
  /** Nobody's name, a wrong code or a wrong passkey: indistinguishable. */
  | { kind: 'wrong' }
  | Extract<CodeResult, { kind: 'locked' }>

/** What a link registers: a passkey that was just made, or a generator's secret with a code of it. */
export type Registration = { passkey: string } | { secret: string; code: string }

export type RegisterResult =
  | ({ kind: 'in'; recoveryCodes: string[]; operator: OperatorRow } & SessionToken)
  /** The link was used, is over, or its operator has ended. */
  | { kind: 'no link' }
  /** What was sent is not what was asked for. The link is still good. */
  | { kind: 'wrong' }

/** With the new token of the session: the old one opens nothing any more. */
export type ProveResult = ({ kind: 'right' } & SessionToken) | Exclude<CodeResult, { kind: 'right' }>

/** Lets operators in. There are no passwords here. */
export interface Reception {
  /** Whose link it is; undefined when it is not good. */
  linked(secret: string): Promise<OperatorRow | undefined>
  /** Registers what the owner of a link signs in with from now on, and signs them in. */
  register(
    secret: string,
    registration: Registration,
    site: DeskSite,
    address: string,
  ): Promise<RegisterResult>
  signIn(
    proof: { passkey: string } | { name: string; code: string },
    site: DeskSite,
    address: string,
  ): Promise<SignInResult>
  /** What a browser needs to make a passkey, to sign in with one, or to show it again. */
  creation(operator: Pick<OperatorRow, 'id' | 'name'>, site: Site): ReturnType<Passkeys['creation']>
  request(operator: Pick<OperatorRow, 'id'> | undefined, site: Site): ReturnType<Passkeys['request']>
  /** Has a session show again who it is. */
  prove(token: string, proof: Proof, site: DeskSite, address: string): Promise<ProveResult>
  /** The operator of a session. A session that is only watched ages as if it was not used. */
  who(token: string | undefined, isUsed?: boolean): Promise<OperatorSession | undefined>
  /** Which of these tokens `who` would name somebody for. They are not used by that. */
  active(tokens: readonly string[]): Promise<ReadonlySet<string>>
  signOut(token: string): Promise<void>
  /** Calls `hear` with each session that is signed out in this process. `who` tells of every other end. */
  onSignOut(hear: (token: string) => void): void
  /** In a sandbox: signs in as its operator, who has nothing to sign in with. */
  openDemo(address: string): Promise<SessionToken>
}

export interface ReceptionParts {
  database: Database
  /** For what is written into the audit log. */
  clock: Clock
  /** For everything that ends. */
  realClock: Pick<Clock, 'now'>
  sealer: Sealer
  newId(now: EpochMs): string
}

/** Who opens the desk of a sandbox with one press. */
export const DEMO_OPERATOR = 'demo'
/** A session is written to this often while pages are asked for. */
const MARK_USED_MS = 60_000

export function createReception(parts: ReceptionParts): Reception {
  const { database, clock, realClock, newId } = parts
  const audit = createAudit(parts)
  const failed = createFailureCount(parts)
  const passkeys = createPasskeys({ database, clock: realClock })
  const codes = createCodes({ ...parts, clock: realClock })
  const hearSignOut: ((token: string) => void)[] = []

  async function startSession(
    tx: Tx,
    { id, name }: OperatorRow,
    detail: Record<string, unknown>,
  ): Promise<SessionToken> {
    const session = await insertSession(tx, id, realClock.now())
    await audit(tx, { actor: actorOf(name), action: 'operator.sign-in', detail })
    return session
  }

  function countFailed(detail: { address: string; name?: string | undefined }): Promise<void> {
    const failure = { action: 'operator.sign-in-failed', accountId: null, detail } as const
    return database.write((tx) => failed(tx, failure))
  }

  function checkCode(
    { name, code }: { name: string; code: string },
    operator: Pick<OperatorRow, 'id'> | undefined,
    { takesGenerators }: DeskSite,
    address: string,
  ): Promise<CodeResult> {
    const owner = operator && ownerOf(operator)
    if (!takesGenerators) return codes.recover(owner, code)
    const counted = countedAddress(address)
    return codes.check({ kind: 'operator', owner, name, network: wideNetwork(counted) ?? counted }, code)
  }

  /** The operator may have ended since, so they are read again in the transaction that makes the session. */
  async function letIn(id: string, by: string, address: string): Promise<SignInResult> {
    return database.write(async (tx) => {
      const operator = await operatorOf(tx, id)
      if (!operator) return { kind: 'wrong' }
      return { kind: 'in', operator, ...(await startSession(tx, operator, { by, address })) }
    })
  }

  async function take(
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
      return (await codes.add(tx, owner, secret, code)) ? 'code generator' : undefined
    }
    if (!passkey) return undefined
    await addPasskey(tx, owner, passkey, realClock.now())
    return 'passkey'
  }

  return {
    linked: (secret) =>
      database.read(async (tx) => {
        const owner = await ownerOfLink(tx, secret, realClock.now())
        return owner && operatorOf(tx, owner.id)
      }),

    async register(secret, registration, site, address) {
      const owner = await database.read((tx) => ownerOfLink(tx, secret, realClock.now()))
      if (!owner) return { kind: 'no link' }
      const passkey =
        'passkey' in registration ? await passkeys.created(owner, registration.passkey, site) : undefined
      try {
        return await database.write(async (tx): Promise<RegisterResult> => {
          const used = await useLink(tx, secret, realClock.now())
          const operator = used && (await operatorOf(tx, used.id))
          if (!operator) return { kind: 'no link' }
          const by = await take(tx, operator, registration, passkey, site)
          if (by === undefined) throw new NotRegistered()
          const recoveryCodes = await makeRecoveryCodes(tx, ownerOf(operator), realClock.now())
          await audit(tx, {
            actor: actorOf(operator.name),
            action: 'operator.register',
            detail: { by, address },
          })
          return {
            kind: 'in',
            operator,
            recoveryCodes,
            ...(await startSession(tx, operator, { by, address })),
          }
        })
      } catch (error) {
        if (error instanceof NotRegistered) return { kind: 'wrong' }
        throw error
      }
    },

    async signIn(proof, site, address) {
      if ('passkey' in proof) {
        const asked = { purpose: 'sign-in', owner: { kind: 'operator', id: '' } } as const
        const owner = await passkeys.signed(asked, proof.passkey, site)
        const result: SignInResult = owner ? await letIn(owner.id, 'passkey', address) : { kind: 'wrong' }
        if (result.kind === 'wrong') await countFailed({ address })
        return result
      }
      // PostgreSQL looks up no zero characters.
      const name = proof.name.replaceAll('\0', '').trim()
      const operator = await database.read((tx) => findOperator(tx, name))
      const result = await checkCode({ name, code: proof.code }, operator, site, address)
      if (result.kind === 'right' && operator) return letIn(operator.id, result.by, address)
      // Not what was typed, which may be a secret in the wrong field.
      await countFailed({ address, name: operator?.name })
      return result.kind === 'locked' ? result : { kind: 'wrong' }
    },

    creation: (operator, site) => passkeys.creation(ownerOf(operator), operator.name, site),
    request: (operator, site) =>
      passkeys.request(
        operator
          ? { purpose: 'prove', owner: ownerOf(operator) }
          : { purpose: 'sign-in', owner: { kind: 'operator', id: '' } },
        site,
      ),

    async prove(token, proof, site, address) {
      const session = await database.read((tx) => findSession(tx, digestOf(token), realClock.now()))
      if (!session) return { kind: 'wrong' }
      const owner = ownerOf(session)
      if ('passkey' in proof) {
        if (!(await passkeys.signed({ purpose: 'prove', owner }, proof.passkey, site)))
          return { kind: 'wrong' }
      } else {
        const result = await checkCode({ name: session.name, code: proof.code }, session, site, address)
        if (result.kind !== 'right') return result
      }
      const renewed = await database.write((tx) => renewSession(tx, token, realClock.now()))
      return renewed ? { kind: 'right', ...renewed } : { kind: 'wrong' }
    },

    async who(token, isUsed = true) {
      if (token === undefined) return undefined
      const now = realClock.now()
      const tokenHash = digestOf(token)
      const session = await database.read((tx) => findSession(tx, tokenHash, now))
      if (session && isUsed && now - session.usedAt >= MARK_USED_MS)
        await database.write((tx) => markSessionUsed(tx, tokenHash, now), { patient: true })
      return session
    },

    active: (tokens) => database.read((tx) => activeSessions(tx, tokens, realClock.now())),

    async signOut(token) {
      await database.write(async (tx) => {
        const name = await deleteSession(tx, digestOf(token))
        if (name !== undefined) await audit(tx, { actor: actorOf(name), action: 'operator.sign-out' })
      })
      for (const hear of hearSignOut) hear(token)
    },

    onSignOut: (hear) => void hearSignOut.push(hear),

    openDemo: (address) =>
      database.write(async (tx) => {
        const id = newId(clock.now())
        const operator =
          (await findOperator(tx, DEMO_OPERATOR)) ??
          (await insertOperator(tx, { id, name: DEMO_OPERATOR, role: 'act', now: clock.now() }))
        return startSession(tx, operator, { by: 'one press in the sandbox', address })
      }),
  }
}

/** Takes back that the link was used. */
class NotRegistered extends Error {}

/** An operator in the audit log. */
export function actorOf(name: string): string {
  return `operator:${name}`
}
