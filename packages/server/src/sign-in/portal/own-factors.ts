import { digestOf } from '../../accounts/index.ts'
import { accountsOfPerson, lockPerson, setPasswordHash } from '../../accounts/people/index.ts'
import { epochMs } from '../../kernel/ids.ts'
import { actorOf } from '../../store/audit/index.ts'
import type { Tx } from '../../store/database.ts'
import type { SessionToken } from '../../store/secrets/tokens.ts'
import {
  addPasskey,
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
import type { Self } from './own-sessions.ts'
import type { Busy, NewPasswords } from './passwords/password-queue.ts'
import type { EndConnections } from './people.ts'
import { ownerOf, type WaysIn } from './portal.ts'
import {
  endSessionsByPassword,
  endSessionsOfPerson,
  findSession,
  renewSession,
  SESSION_MS,
} from './sessions.ts'

/** A new way to sign in: a passkey that was just made, or a generator's secret with one of its codes. */
export type Registration = { passkey: string; name: string } | { secret: string; code: string }

export type AddResult =
  /** With a new token of the session. With the first one come recovery codes, which are shown once. */
  | ({ kind: 'added'; recoveryCodes: string[] | undefined } & SessionToken)
  /** The passkey, the code or the session was refused. */
  | { kind: 'wrong' }

export type RemoveResult = 'removed' | 'gone' | 'required'

const LONGEST_NAME = 40

/**
 * A person's own ways to sign in. Removing one, or changing the password, ends their other sessions; a first
 * factor ends sessions that a password alone opened.
 */
export class OwnFactors {
  readonly #parts: WaysIn
  readonly #passwords: NewPasswords
  readonly #endConnections: EndConnections

  constructor(parts: WaysIn, own: { passwords: NewPasswords; endConnections: EndConnections }) {
    this.#parts = parts
    this.#passwords = own.passwords
    this.#endConnections = own.endConnections
  }

  list(personId: string): Promise<Factors> {
    return this.#parts.database.read((tx) => factorsOf(tx, ownerOf(personId)))
  }

  /** Options for a browser to make a passkey. */
  creation(
    { personId, email }: Pick<Self, 'personId' | 'email'>,
    site: Site,
  ): ReturnType<Passkeys['creation']> {
    return this.#parts.passkeys.creation(ownerOf(personId), email, site)
  }

  /** Adds one. A person who was half in for lack of one is in then. */
  async add(self: Self, registration: Registration, site: Site): Promise<AddResult> {
    const { personId, token } = self
    const owner = ownerOf(personId)
    const passkey =
      'passkey' in registration
        ? await this.#parts.passkeys.created(owner, registration.passkey, site)
        : undefined
    return this.#parts.database.write(async (tx): Promise<AddResult> => {
      const now = this.#parts.clock.now()
      await lockPerson(tx, personId)
      const session = await findSession(tx, digestOf(token), now)
      if (!session || session.state === 'show') return { kind: 'wrong' }
      const isFirst = !(await hasFactor(tx, owner))
      // Who is half in because they had none may not add one once there is one.
      if (session.state === 'get' && !isFirst) return { kind: 'wrong' }
      const by = await this.#take(tx, personId, registration, passkey)
      if (by === undefined) return { kind: 'wrong' }
      const recoveryCodes = isFirst ? await makeRecoveryCodes(tx, owner, now) : undefined
      // A password is not enough from now on, so it has not been enough anywhere.
      if (isFirst) await endSessionsByPassword(tx, { personId }, digestOf(token))
      await this.#note(tx, self, 'add-factor', { by })
      const { accountId } = self
      await this.#parts.tell(tx, { type: 'person.factor_added', accountId, personId, factor: by })
      const proof = by === 'passkey' ? 'passkey' : 'code'
      const change = { state: 'in', proof, provenAt: now } as const
      const renewed = await renewSession(tx, token, {
        ...change,
        ...(session.state === 'get' && { expiresAt: epochMs(now + SESSION_MS) }),
      })
      // Where it was ended meanwhile, the browser forgets it.
      return { kind: 'added', recoveryCodes, ...(renewed ?? { token, expiresAt: now }) }
    })
  }

  rename(personId: string, passkey: string, name: string): Promise<void> {
    return this.#parts.database.write((tx) => renamePasskey(tx, ownerOf(personId), passkey, nameOf(name)))
  }

  /** The last one stays where an account requires one. */
  async remove(self: Self, which: { passkey: string } | 'generator'): Promise<RemoveResult> {
    const { personId, token } = self
    const owner = ownerOf(personId)
    try {
      return await this.#parts.database.write(async (tx): Promise<RemoveResult> => {
        await lockPerson(tx, personId)
        const gone =
          which === 'generator'
            ? await removeGenerator(tx, owner)
            : await removePasskey(tx, owner, which.passkey)
        if (!gone) return 'gone'
        if (await isRequired(tx, personId)) throw new Required()
        const by = which === 'generator' ? 'code generator' : 'passkey'
        await this.#note(tx, self, 'remove-factor', { by })
        await endSessionsOfPerson(tx, personId, digestOf(token))
        return 'removed'
      })
    } catch (error) {
      if (error instanceof Required) return 'required'
      throw error
    }
  }

  /** In place of those that are there. */
  newRecoveryCodes(self: Self): Promise<string[]> {
    return this.#parts.database.write(async (tx) => {
      await lockPerson(tx, self.personId)
      await this.#note(tx, self, 'recovery-codes')
      return makeRecoveryCodes(tx, ownerOf(self.personId), this.#parts.clock.now())
    })
  }

  /** The person's assistants, in every account, end too unless they are kept. */
  setPassword(
    self: Self,
    password: string,
    assistants: 'end' | 'keep' = 'end',
  ): Promise<{ kind: 'set' } | Busy> {
    return this.#passwords.set(`person:${self.personId}`, password, async (hashed) => {
      const passwordHash = await hashed()
      await this.#parts.database.write(async (tx) => {
        const { personId } = self
        await lockPerson(tx, personId)
        await setPasswordHash(tx, personId, passwordHash)
        await this.#note(tx, self, 'password')
        await endSessionsOfPerson(tx, personId, digestOf(self.token))
        if (assistants === 'end')
          await this.#endConnections(tx, { personId }, 'who let it in has a new password')
      })
      return { kind: 'set' } as const
    })
  }

  async #take(
    tx: Tx,
    personId: string,
    registration: Registration,
    passkey: NewPasskey | undefined,
  ): Promise<'passkey' | 'code generator' | undefined> {
    const owner = ownerOf(personId)
    if ('code' in registration) {
      const { secret, code } = registration
      return (await this.#parts.codes.add(tx, owner, secret, code)) ? 'code generator' : undefined
    }
    if (!passkey) return undefined
    await addPasskey(tx, owner, { ...passkey, name: nameOf(registration.name) }, this.#parts.clock.now())
    return 'passkey'
  }

  #note(
    tx: Tx,
    { personId, accountId }: Self,
    action: 'add-factor' | 'remove-factor' | 'recovery-codes' | 'password',
    detail: Record<string, unknown> = {},
  ): Promise<void> {
    return this.#parts.audit(tx, { actor: actorOf(personId), action: `person.${action}`, accountId, detail })
  }
}

/** Whether what somebody signs in with may be gone after this: an account of theirs may require it. */
async function isRequired(tx: Tx, personId: string): Promise<boolean> {
  const required = (await accountsOfPerson(tx, personId)).some(({ needsFactor }) => needsFactor)
  return required && !(await hasFactor(tx, ownerOf(personId)))
}

/** Undoes the transaction. */
class Required extends Error {}

function nameOf(typed: string): string {
  return Array.from(typed.replaceAll('\0', '').trim()).slice(0, LONGEST_NAME).join('')
}
