import { digestOf } from '../accounts/index.ts'
import { actorOf, createAudit } from '../audit/index.ts'
import { type EpochMs, epochMs } from '../domain/ids.ts'
import {
  addPasskey,
  createCodes,
  createPasskeys,
  type Factors,
  factorsOf,
  hasFactor,
  makeRecoveryCodes,
  type NewPasskey,
  type Passkeys,
  removeGenerator,
  removePasskey,
  renamePasskey,
  type Site,
} from '../factors/index.ts'
import { accountsOfPerson, lockPerson, setPasswordHash } from '../people/index.ts'
import type { Clock } from '../platform/clock.ts'
import type { Database, Tx } from '../platform/database/database.ts'
import type { Sealer } from '../platform/secrets/sealing.ts'
import type { SessionToken } from '../platform/secrets/session-tokens.ts'
import type { Busy, NewPasswords } from './passwords/new-passwords.ts'
import type { EndConnections } from './people.ts'
import { ownerOf } from './portal.ts'
import {
  endSessionsByPassword,
  endSessionsOfPerson,
  findSession,
  renewSession,
  SESSION_MS,
} from './sessions.ts'

/** What a person takes on: a passkey that was just made, or a generator's secret with a code of it. */
export type Registration = { passkey: string; name: string } | { secret: string; code: string }

export type AddResult =
  /** With a new token of the session. With the first one come recovery codes, which are shown once. */
  | ({ kind: 'added'; recoveryCodes: string[] | undefined } & SessionToken)
  /** What was sent is not what was asked for. */
  | { kind: 'wrong' }

export type RemoveResult = 'removed' | 'gone' | 'required'

/** Who changes what they sign in with, in which session. */
export interface Self {
  personId: string
  email: string
  accountId: string
  token: string
}

/**
 * A person's own ways to sign in. What is removed, or a password that is changed, ends their other sessions; a first
 * factor ends those that showed a password alone.
 */
export interface OwnFactors {
  list(personId: string): Promise<Factors>
  /** What a browser needs to make a passkey. */
  creation(person: Pick<Self, 'personId' | 'email'>, site: Site): ReturnType<Passkeys['creation']>
  /** Takes one. Somebody who is half in because they had none is in then. */
  add(self: Self, registration: Registration, site: Site): Promise<AddResult>
  rename(personId: string, passkey: string, name: string): Promise<void>
  /** The last one stays where an account requires one. */
  remove(self: Self, which: { passkey: string } | 'generator'): Promise<RemoveResult>
  /** In place of those that are there. */
  newRecoveryCodes(self: Self): Promise<string[]>
  /** The person's assistants, in every account, end too unless they are kept. */
  setPassword(self: Self, password: string, assistants?: 'end' | 'keep'): Promise<{ kind: 'set' } | Busy>
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

export interface OwnFactorsParts {
  database: Database
  /** The real time. */
  clock: Clock
  auditClock: Pick<Clock, 'now'>
  newId(now: EpochMs): string
  sealer: Sealer
  passwords: NewPasswords
  tell: TellOperator
  endConnections: EndConnections
}

const LONGEST_NAME = 40

export function createOwnFactors(parts: OwnFactorsParts): OwnFactors {
  const { database, clock, newId } = parts
  const passkeys = createPasskeys({ database, clock })
  const codes = createCodes(parts)
  const write = createAudit({ clock: parts.auditClock, newId })

  const audit = (
    tx: Tx,
    { personId, accountId }: Self,
    action: 'add-factor' | 'remove-factor' | 'recovery-codes' | 'password',
    detail: Record<string, unknown> = {},
  ) => write(tx, { actor: actorOf(personId), action: `person.${action}`, accountId, detail })

  async function take(
    tx: Tx,
    personId: string,
    registration: Registration,
    passkey: NewPasskey | undefined,
  ): Promise<'passkey' | 'code generator' | undefined> {
    const owner = ownerOf(personId)
    if ('code' in registration) {
      const { secret, code } = registration
      return (await codes.add(tx, owner, secret, code)) ? 'code generator' : undefined
    }
    if (!passkey) return undefined
    await addPasskey(tx, owner, { ...passkey, name: nameOf(registration.name) }, clock.now())
    return 'passkey'
  }

  /** Whether what somebody signs in with may be gone after this: an account of theirs may require it. */
  async function isRequired(tx: Tx, personId: string): Promise<boolean> {
    const required = (await accountsOfPerson(tx, personId)).some(({ needsFactor }) => needsFactor)
    return required && !(await hasFactor(tx, ownerOf(personId)))
  }

  return {
    list: (personId) => database.read((tx) => factorsOf(tx, ownerOf(personId))),

    creation: ({ personId, email }, site) => passkeys.creation(ownerOf(personId), email, site),

    async add(self, registration, site) {
      const { personId, token } = self
      const owner = ownerOf(personId)
      const passkey =
        'passkey' in registration ? await passkeys.created(owner, registration.passkey, site) : undefined
      return database.write(async (tx): Promise<AddResult> => {
        const now = clock.now()
        await lockPerson(tx, personId)
        const session = await findSession(tx, digestOf(token), now)
        if (!session || session.state === 'show') return { kind: 'wrong' }
        const isFirst = !(await hasFactor(tx, owner))
        // Who is half in because they had none may not add one once there is one.
        if (session.state === 'get' && !isFirst) return { kind: 'wrong' }
        const by = await take(tx, personId, registration, passkey)
        if (by === undefined) return { kind: 'wrong' }
        const recoveryCodes = isFirst ? await makeRecoveryCodes(tx, owner, now) : undefined
        // A password is not enough from now on, so it has not been enough anywhere.
        if (isFirst) await endSessionsByPassword(tx, { personId }, digestOf(token))
        await audit(tx, self, 'add-factor', { by })
        const { accountId } = self
        await parts.tell(tx, { type: 'person.factor_added', accountId, personId, factor: by })
        const proof = by === 'passkey' ? 'passkey' : 'code'
        const change = { state: 'in', proof, provenAt: now } as const
        const renewed = await renewSession(tx, token, {
          ...change,
          ...(session.state === 'get' && { expiresAt: epochMs(now + SESSION_MS) }),
        })
        // Where it was ended meanwhile, the browser forgets it.
        return { kind: 'added', recoveryCodes, ...(renewed ?? { token, expiresAt: now }) }
      })
    },

    rename: (personId, passkey, name) =>
      database.write((tx) => renamePasskey(tx, ownerOf(personId), passkey, nameOf(name))),

    async remove(self, which) {
      const { personId, token } = self
      const owner = ownerOf(personId)
      try {
        return await database.write(async (tx): Promise<RemoveResult> => {
          await lockPerson(tx, personId)
          const gone =
            which === 'generator'
              ? await removeGenerator(tx, owner)
              : await removePasskey(tx, owner, which.passkey)
          if (!gone) return 'gone'
          if (await isRequired(tx, personId)) throw new Required()
          const by = which === 'generator' ? 'code generator' : 'passkey'
          await audit(tx, self, 'remove-factor', { by })
          await endSessionsOfPerson(tx, personId, digestOf(token))
          return 'removed'
        })
      } catch (error) {
        if (error instanceof Required) return 'required'
        throw error
      }
    },

    newRecoveryCodes: (self) =>
      database.write(async (tx) => {
        await lockPerson(tx, self.personId)
        await audit(tx, self, 'recovery-codes')
        return makeRecoveryCodes(tx, ownerOf(self.personId), clock.now())
      }),

    setPassword: (self, password, assistants = 'end') =>
      parts.passwords.set(`person:${self.personId}`, password, async (hashed) => {
        const passwordHash = await hashed()
        await database.write(async (tx) => {
          const { personId } = self
          await lockPerson(tx, personId)
          await setPasswordHash(tx, personId, passwordHash)
          await audit(tx, self, 'password')
          await endSessionsOfPerson(tx, personId, digestOf(self.token))
          if (assistants === 'end')
            await parts.endConnections(tx, { personId }, 'who let it in has a new password')
        })
        return { kind: 'set' } as const
      }),
  }
}

/** Undoes the transaction. */
class Required extends Error {}

function nameOf(typed: string): string {
  return Array.from(typed.replaceAll('\0', '').trim()).slice(0, LONGEST_NAME).join('')
}
