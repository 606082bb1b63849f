import {
  accountsOfPerson,
  canSignIn,
  findPerson,
  type Invitation,
  invitationOf,
  join,
  lockPerson,
  type PersonRow,
  personOf,
  setPasswordHash,
  takeInvitation,
} from '../../accounts/people/index.ts'
import { actorOf } from '../../store/audit/index.ts'
import type { Tx } from '../../store/database.ts'
import { addPasskey, makeRecoveryCodes, type Passkeys, type Site } from '../factors/index.ts'
import type { Busy, NewPasswords } from './passwords/password-queue.ts'
import { type Enter, type EnterResult, ownerOf, type WaysIn } from './portal.ts'
import type { From } from './sessions.ts'

/** A new person's first way to sign in. */
export type FirstProof =
  | { password: string }
  | { passkey: string; name: string }
  | { secret: string; code: string }

/** The same, with the password hashed. */
type ReadProof = Exclude<FirstProof, { password: string }> | { passwordHash: string }

/** An invitation, and the next step for the person who follows its link. */
export interface Invited extends Invitation {
  /**
   * Whether to begin with a first way to sign in, or to sign in. No page may reveal this before a proof: an
   * owner could find out by a link who is a customer elsewhere.
   */
  next: 'begin' | 'sign in'
}

export type BeginResult =
  | (EnterResult & { recoveryCodes: string[] | undefined })
  /** It was used, is over, or was withdrawn. */
  | { kind: 'no link' }
  /** The address has a sign-in, which the link needs. It is still good. */
  | { kind: 'sign in' }
  /** The passkey or the code was refused. The link is still good. */
  | { kind: 'not taken' }
  | Busy

/** How people follow the links that let them into an account. */
export class Joining {
  readonly #parts: WaysIn
  readonly #passwords: NewPasswords
  readonly #enter: Enter

  constructor(parts: WaysIn, own: { passwords: NewPasswords; enter: Enter }) {
    this.#parts = parts
    this.#passwords = own.passwords
    this.#enter = own.enter
  }

  invited(secret: string): Promise<Invited | undefined> {
    return this.#parts.database.read((tx) => this.#read(tx, secret))
  }

  /** Options for a new person's browser to make a passkey. */
  async creation(secret: string, site: Site): Promise<Awaited<ReturnType<Passkeys['creation']>> | undefined> {
    const now = this.#parts.clock.now()
    const invited = await this.#parts.database.write(async (tx) => {
      const invitation = await invitationOf(tx, secret, now)
      if (!invitation) return undefined
      const person = await this.#beginner(tx, invitation)
      // A passkey that is not taken is made for nobody: an ID or passkeys of before would tell of another account.
      return {
        personId: typeof person === 'string' ? this.#parts.newId(now) : person.id,
        email: invitation.email,
      }
    })
    return invited && this.#parts.passkeys.creation(ownerOf(invited.personId), invited.email, site)
  }

  /** For somebody who has nothing to sign in with. */
  async begin(secret: string, proof: FirstProof, site: Site, from: From): Promise<BeginResult> {
    if (!('password' in proof)) return this.#beginWith(secret, proof, site, from)
    return this.#passwords.set(`link:${secret}`, proof.password, async (hashed) => {
      // Hashing is work, which only a good link is worth.
      const invited = await this.#parts.database.read((tx) => this.#read(tx, secret))
      if (!invited) return { kind: 'no link' } as const
      if (invited.next !== 'begin') return { kind: 'sign in' } as const
      return this.#beginWith(secret, { passwordHash: await hashed() }, site, from)
    })
  }

  /** For somebody who is signed in. False when the link is not for them, or no good. */
  accept(secret: string, { personId, email }: { personId: string; email: string }): Promise<boolean> {
    return this.#parts.database.write(async (tx) => {
      const invited = await invitationOf(tx, secret, this.#parts.clock.now())
      if (invited?.email !== email || !(await takeInvitation(tx, secret, this.#parts.clock.now())))
        return false
      await this.#letIn(tx, invited, personId)
      return true
    })
  }

  async #beginWith(secret: string, proof: ReadProof, site: Site, from: From): Promise<BeginResult> {
    const { invitation, known } = await this.#parts.database.read(async (tx) => {
      const found = await invitationOf(tx, secret, this.#parts.clock.now())
      return { invitation: found, known: found && (await findPerson(tx, found.email)) }
    })
    if (!invitation) return { kind: 'no link' }
    const passkey =
      'passkey' in proof && known
        ? await this.#parts.passkeys.created(ownerOf(known.id), proof.passkey, site)
        : undefined
    try {
      return await this.#parts.database.write(async (tx): Promise<BeginResult> => {
        const invited = await invitationOf(tx, secret, this.#parts.clock.now())
        if (!invited || !(await takeInvitation(tx, secret, this.#parts.clock.now())))
          return { kind: 'no link' }
        const person = await this.#beginner(tx, invited)
        if (typeof person === 'string') throw new NotTaken(person)
        if (!(await this.#take(tx, person.id, proof, passkey))) throw new NotTaken('not taken')
        await this.#letIn(tx, invited, person.id)
        const isFactor = !('passwordHash' in proof)
        const recoveryCodes = isFactor
          ? await makeRecoveryCodes(tx, ownerOf(person.id), this.#parts.clock.now())
          : undefined
        const by = 'passkey' in proof ? 'passkey' : isFactor ? 'code' : 'password'
        const detail = { by: by === 'code' ? 'code generator' : by }
        const { accountId } = invited
        await this.#parts.audit(tx, {
          actor: actorOf(person.id),
          action: 'person.add-factor',
          accountId,
          detail,
        })
        const news = { accountId, personId: person.id, factor: detail.by }
        if (isFactor) await this.#parts.tell(tx, { type: 'person.factor_added', ...news })
        return { ...(await this.#enter(tx, person.id, by, from)), recoveryCodes }
      })
    } catch (error) {
      if (error instanceof NotTaken) return { kind: error.kind }
      throw error
    }
  }

  async #read(tx: Tx, secret: string): Promise<Invited | undefined> {
    const invitation = await invitationOf(tx, secret, this.#parts.clock.now())
    if (!invitation) return undefined
    const person = await findPerson(tx, invitation.email)
    if (!person || !(await canSignIn(tx, person.id))) return { ...invitation, next: 'begin' }
    // Who can sign in may have followed this very link a moment ago, after it was found good.
    return (await invitationOf(tx, secret, this.#parts.clock.now())) && { ...invitation, next: 'sign in' }
  }

  /**
   * The person of an invitation who is about to get something to sign in with. Nobody may get that for an address that
   * is in another account, but from the operator: it would open that account too.
   */
  async #beginner(tx: Tx, invitation: Invitation): Promise<PersonRow | 'sign in' | 'no link'> {
    const now = this.#parts.clock.now()
    const person = await personOf(tx, invitation.email, { id: this.#parts.newId(now), now })
    const locked = await lockPerson(tx, person.id)
    if (!locked) return 'no link'
    if (await canSignIn(tx, person.id)) return 'sign in'
    const elsewhere = (await accountsOfPerson(tx, person.id)).some(
      ({ accountId }) => accountId !== invitation.accountId,
    )
    const isOperators = !invitation.createdBy.startsWith('person:')
    return elsewhere && !isOperators ? 'no link' : locked
  }

  async #take(
    tx: Tx,
    personId: string,
    proof: ReadProof,
    passkey: Awaited<ReturnType<Passkeys['created']>>,
  ): Promise<boolean> {
    if ('passwordHash' in proof) {
      await setPasswordHash(tx, personId, proof.passwordHash)
      return true
    }
    if ('code' in proof) return this.#parts.codes.add(tx, ownerOf(personId), proof.secret, proof.code)
    if (passkey)
      await addPasskey(tx, ownerOf(personId), { ...passkey, name: proof.name }, this.#parts.clock.now())
    return passkey !== undefined
  }

  async #letIn(tx: Tx, { accountId, role, createdBy }: Invitation, personId: string): Promise<void> {
    // Who is in already got a new link because they had nothing to sign in with.
    const joined = await join(tx, { accountId, personId, role, by: createdBy }, this.#parts.clock.now())
    if (joined)
      await this.#parts.audit(tx, {
        actor: actorOf(personId),
        action: 'person.join',
        accountId,
        detail: { role },
      })
  }
}

/** Undoes the transaction, so that the link stays good. */
class NotTaken extends Error {
  readonly kind: 'no link' | 'sign in' | 'not taken'

  constructor(kind: NotTaken['kind']) {
    super(kind)
    this.kind = kind
  }
}
