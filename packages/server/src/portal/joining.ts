import { actorOf, createAudit } from '../audit/index.ts'
import type { EpochMs } from '../domain/ids.ts'
import {
  addPasskey,
  createCodes,
  createPasskeys,
  makeRecoveryCodes,
  type Passkeys,
  type Site,
} from '../factors/index.ts'
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
} from '../people/index.ts'
import type { Clock } from '../platform/clock.ts'
import type { Database, Tx } from '../platform/database/database.ts'
import type { Sealer } from '../platform/secrets/sealing.ts'
import type { TellOperator } from './own-factors.ts'
import type { Busy, NewPasswords } from './passwords/new-passwords.ts'
import { type Enter, type EnterResult, ownerOf } from './portal.ts'
import type { From } from './sessions.ts'

/** What somebody new signs in with from now on. */
export type FirstProof =
  | { password: string }
  | { passkey: string; name: string }
  | { secret: string; code: string }

/** The same, with the password hashed. */
type ReadProof = Exclude<FirstProof, { password: string }> | { passwordHash: string }

/** An invitation, and what who follows its link has to do. */
export interface Invited extends Invitation {
  /**
   * Take something to sign in with, or sign in with what they have. No page may tell before something was shown: an
   * owner could ask by a link who is a customer elsewhere.
   */
  next: 'begin' | 'sign in'
}

export type BeginResult =
  | (EnterResult & { recoveryCodes: string[] | undefined })
  /** It was used, is over, or was withdrawn. */
  | { kind: 'no link' }
  /** The address has a sign-in, which the link needs. It is still good. */
  | { kind: 'sign in' }
  /** What was sent is not what was asked for. The link is still good. */
  | { kind: 'not taken' }
  | Busy

/** How people follow the links that let them into an account. */
export interface Joining {
  invited(secret: string): Promise<Invited | undefined>
  /** What a browser needs to make the passkey of somebody new. */
  creation(secret: string, site: Site): Promise<Awaited<ReturnType<Passkeys['creation']>> | undefined>
  /** For somebody who has nothing to sign in with. */
  begin(secret: string, proof: FirstProof, site: Site, from: From): Promise<BeginResult>
  /** For somebody who is signed in. False when the link is not for them, or no good. */
  accept(secret: string, person: { personId: string; email: string }): Promise<boolean>
}

export interface JoiningParts {
  database: Database
  /** The real time. */
  clock: Clock
  auditClock: Pick<Clock, 'now'>
  newId(now: EpochMs): string
  sealer: Sealer
  passwords: NewPasswords
  tell: TellOperator
  enter: Enter
}

export function createJoining(parts: JoiningParts): Joining {
  const { database, clock, newId, enter } = parts
  const passkeys = createPasskeys({ database, clock })
  const codes = createCodes(parts)
  const audit = createAudit({ clock: parts.auditClock, newId })

  async function read(tx: Tx, secret: string): Promise<Invited | undefined> {
    const invitation = await invitationOf(tx, secret, clock.now())
    if (!invitation) return undefined
    const person = await findPerson(tx, invitation.email)
    if (!person || !(await canSignIn(tx, person.id))) return { ...invitation, next: 'begin' }
    // Who can sign in may have followed this very link a moment ago, after it was found good.
    return (await invitationOf(tx, secret, clock.now())) && { ...invitation, next: 'sign in' }
  }

  /**
   * The person of an invitation who is about to get something to sign in with. Nobody may get that for an address that
   * is in another account, but from the operator: it would open that account too.
   */
  async function beginner(tx: Tx, invitation: Invitation): Promise<PersonRow | 'sign in' | 'no link'> {
    const now = clock.now()
    const person = await personOf(tx, invitation.email, { id: newId(now), now })
    const locked = await lockPerson(tx, person.id)
    if (!locked) return 'no link'
    if (await canSignIn(tx, person.id)) return 'sign in'
    const elsewhere = (await accountsOfPerson(tx, person.id)).some(
      ({ accountId }) => accountId !== invitation.accountId,
    )
    const isOperators = !invitation.createdBy.startsWith('person:')
    return elsewhere && !isOperators ? 'no link' : locked
  }

  async function letIn(tx: Tx, { accountId, role, createdBy }: Invitation, personId: string): Promise<void> {
    // Who is in already got a new link because they had nothing to sign in with.
    const joined = await join(tx, { accountId, personId, role, by: createdBy }, clock.now())
    if (joined)
      await audit(tx, { actor: actorOf(personId), action: 'person.join', accountId, detail: { role } })
  }

  async function take(
    tx: Tx,
    personId: string,
    proof: ReadProof,
    passkey: Awaited<ReturnType<Passkeys['created']>>,
  ): Promise<boolean> {
    if ('passwordHash' in proof) {
      await setPasswordHash(tx, personId, proof.passwordHash)
      return true
    }
    if ('code' in proof) return codes.add(tx, ownerOf(personId), proof.secret, proof.code)
    if (passkey) await addPasskey(tx, ownerOf(personId), { ...passkey, name: proof.name }, clock.now())
    return passkey !== undefined
  }

  async function beginWith(secret: string, proof: ReadProof, site: Site, from: From): Promise<BeginResult> {
    const { invitation, known } = await database.read(async (tx) => {
      const found = await invitationOf(tx, secret, clock.now())
      return { invitation: found, known: found && (await findPerson(tx, found.email)) }
    })
    if (!invitation) return { kind: 'no link' }
    const passkey =
      'passkey' in proof && known ? await passkeys.created(ownerOf(known.id), proof.passkey, site) : undefined
    try {
      return await database.write(async (tx): Promise<BeginResult> => {
        const invited = await invitationOf(tx, secret, clock.now())
        if (!invited || !(await takeInvitation(tx, secret, clock.now()))) return { kind: 'no link' }
        const person = await beginner(tx, invited)
        if (typeof person === 'string') throw new NotTaken(person)
        if (!(await take(tx, person.id, proof, passkey))) throw new NotTaken('not taken')
        await letIn(tx, invited, person.id)
        const isFactor = !('passwordHash' in proof)
        const recoveryCodes = isFactor
          ? await makeRecoveryCodes(tx, ownerOf(person.id), clock.now())
          : undefined
        const by = 'passkey' in proof ? 'passkey' : isFactor ? 'code' : 'password'
        const detail = { by: by === 'code' ? 'code generator' : by }
        const { accountId } = invited
        await audit(tx, { actor: actorOf(person.id), action: 'person.add-factor', accountId, detail })
        const news = { accountId, personId: person.id, factor: detail.by }
        if (isFactor) await parts.tell(tx, { type: 'person.factor_added', ...news })
        return { ...(await enter(tx, person.id, by, from)), recoveryCodes }
      })
    } catch (error) {
      if (error instanceof NotTaken) return { kind: error.kind }
      throw error
    }
  }

  return {
    invited: (secret) => database.read((tx) => read(tx, secret)),

    async creation(secret, site) {
      const now = clock.now()
      const invited = await database.write(async (tx) => {
        const invitation = await invitationOf(tx, secret, now)
        if (!invitation) return undefined
        const person = await beginner(tx, invitation)
        // A passkey that is not taken is made for nobody: an ID or passkeys of before would tell of another account.
        return { personId: typeof person === 'string' ? newId(now) : person.id, email: invitation.email }
      })
      return invited && passkeys.creation(ownerOf(invited.personId), invited.email, site)
    },

    async begin(secret, proof, site, from) {
      if (!('password' in proof)) return beginWith(secret, proof, site, from)
      return parts.passwords.set(`link:${secret}`, proof.password, async (hashed) => {
        // Hashing is work, which only a good link is worth.
        const invited = await database.read((tx) => read(tx, secret))
        if (!invited) return { kind: 'no link' } as const
        if (invited.next !== 'begin') return { kind: 'sign in' } as const
        return beginWith(secret, { passwordHash: await hashed() }, site, from)
      })
    },

    accept: (secret, { personId, email }) =>
      database.write(async (tx) => {
        const invited = await invitationOf(tx, secret, clock.now())
        if (invited?.email !== email || !(await takeInvitation(tx, secret, clock.now()))) return false
        await letIn(tx, invited, personId)
        return true
      }),
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
