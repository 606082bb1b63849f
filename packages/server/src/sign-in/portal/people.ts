import { toDecimal } from '@wigwag/contract'
import { findAccount, lockForChange, setAccountFacts } from '../../accounts/index.ts'
import {
  accountsOfPerson,
  endMembership,
  type InvitationRow,
  invitationsOf,
  lockPerson,
  lockRoles,
  type Member,
  makeInvitation,
  mayDo,
  membersOf,
  setAssistantLimits,
  setPasswordHash,
  setRole,
  setSecondFactor,
  withdrawInvitation,
  withdrawInvitationsBy,
} from '../../accounts/people/index.ts'
import type { Parts } from '../../flow/parts.ts'
import type { EpochMs } from '../../kernel/ids.ts'
import type { Clock } from '../../kernel/process/clock.ts'
import { type Audit, actorOf, createAudit } from '../../store/audit/index.ts'
import type { Tx } from '../../store/database.ts'
import type { Role, SecondFactor } from '../../store/schema/schema.ts'
import { forgetFactors } from '../factors/index.ts'
import { ownerOf } from './portal.ts'
import { endSessionsByPassword, endSessionsIn, endSessionsOfPerson } from './sessions.ts'

/** Who changes the people of an account: an owner of it, or an operator. */
export interface By {
  actor: string
  accountId: string
  reason?: string | undefined
}

/** `last owner`: an account keeps one. */
export type Changed = 'changed' | 'as before' | 'gone' | 'last owner'

/** The secret of a link. `in already`: they can sign in. `not allowed`: the person who invites is no owner any more. */
export type Invite = { secret: string } | 'in already' | 'not allowed'

export interface AssistantLimits {
  /** In millionths; null for no limit. */
  spend: Member['assistantsSpend']
  messages: number | null
}

/** Ends the connections that somebody let into an account, or into all. */
export type EndConnections = (
  tx: Tx,
  of: { accountId?: string; personId: string },
  reason: string,
) => Promise<string[]>

/** The shared parts that changes of people need. */
export interface Changing extends Pick<Parts, 'database'> {
  clock: Pick<Clock, 'now'>
  /** The real time, by which links end. */
  realClock: Pick<Clock, 'now'>
  newId(now: EpochMs): string
  endConnections: EndConnections
}

/** The people of an account. Everything that is taken from somebody is gone in the transaction that says so. */
export class People {
  readonly #parts: Changing
  readonly #write: Audit

  constructor(parts: Changing) {
    this.#parts = parts
    this.#write = createAudit(parts)
  }

  list(accountId: string): Promise<{ members: Member[]; invited: InvitationRow[] }> {
    return this.#parts.database.read(async (tx) => ({
      members: await membersOf(tx, accountId),
      invited: await invitationsOf(tx, accountId, this.#parts.realClock.now()),
    }))
  }

  invite(by: By, email: string, role: Role): Promise<Invite> {
    return this.#parts.database.write(async (tx) => {
      const { accountId, actor } = by
      // Locked, so that an owner who is being removed makes no link that outlives them.
      if (!isOperator(by) && !(await mayInvite(tx, by))) return 'not allowed'
      const member = (await membersOf(tx, accountId)).find((one) => one.email === email)
      if (member?.canSignIn) return 'in already'
      await this.#audit(tx, by, 'invite', { email, role })
      const invitation = { accountId, email, role, createdBy: actor }
      return { secret: await makeInvitation(tx, invitation, this.#parts.realClock.now()) }
    })
  }

  withdraw(by: By, email: string): Promise<boolean> {
    return this.#parts.database.write(async (tx) => {
      const gone = await withdrawInvitation(tx, by.accountId, email)
      if (gone) await this.#audit(tx, by, 'withdraw', { email })
      return gone
    })
  }

  /** An owner who becomes less takes back the links that they made. Who may no longer see texts signs in again: a page may be open. */
  setRole(by: By, personId: string, role: Role): Promise<Changed> {
    return this.#parts.database.write(async (tx) => {
      const { accountId } = by
      const roles = await lockRoles(tx, accountId)
      const before = roles.get(personId)
      if (before === undefined) return 'gone'
      if (before === role) return 'as before'
      if (isLastOwner(roles, personId)) return 'last owner'
      await setRole(tx, { accountId, personId }, role)
      if (!mayDo(role, 'people')) await this.#withdrawLinksBy(tx, by, personId, accountId)
      if (!mayDo(role, 'texts')) await endSessionsIn(tx, { accountId, personId })
      await this.#audit(tx, by, 'role', { person: personId, from: before, to: role })
      return 'changed'
    })
  }

  /** Their sessions in the account end, and so do the assistants that they let in and the links that they made. */
  remove(by: By, personId: string): Promise<Changed> {
    return this.#parts.database.write(async (tx) => {
      const { accountId } = by
      const roles = await lockRoles(tx, accountId)
      if (!roles.has(personId)) return 'gone'
      if (isLastOwner(roles, personId)) return 'last owner'
      await endMembership(tx, { accountId, personId }, this.#parts.clock.now())
      await endSessionsIn(tx, { accountId, personId })
      await lockPerson(tx, personId)
      // Who is in no account signs in to nothing: with another invitation they begin anew.
      if ((await accountsOfPerson(tx, personId)).length === 0) await forgetProofs(tx, personId)
      await this.#parts.endConnections(tx, { accountId, personId }, 'who let it in left the account')
      await this.#withdrawLinksBy(tx, by, personId, accountId)
      await this.#audit(tx, by, 'remove', { person: personId })
      return 'changed'
    })
  }

  /**
   * Forgets all that somebody signs in with, and takes back the links that they made. Their assistants, in every account,
   * end too unless they are kept. The secret is of the link by which they begin anew.
   */
  reset(by: By, personId: string, assistants: 'end' | 'keep' = 'end'): Promise<string | undefined> {
    return this.#parts.database.write(async (tx) => {
      const { accountId } = by
      const member = (await membersOf(tx, accountId)).find((one) => one.personId === personId)
      if (!member) return undefined
      const { email, role } = member
      // Locks the link before the person, as `Joining.begin` does.
      const secret = await makeInvitation(
        tx,
        { accountId, email, role, createdBy: by.actor },
        this.#parts.realClock.now(),
      )
      await lockPerson(tx, personId)
      await forgetProofs(tx, personId)
      await this.#withdrawLinksBy(tx, by, personId)
      if (assistants === 'end')
        await this.#parts.endConnections(tx, { personId }, 'who let it in began anew to sign in')
      await this.#audit(tx, by, 'reset-factors', { person: personId })
      return secret
    })
  }

  /** Whether everybody needs a second factor. An owner can't lift what the operator requires. */
  requireFactor(by: By, required: SecondFactor): Promise<boolean> {
    return this.#parts.database.write(async (tx) => {
      const changed = await setSecondFactor(tx, by.accountId, required, isOperator(by))
      if (!changed) return false
      // The next sign-in of everybody leads through it.
      if (required !== 'optional') await endSessionsByPassword(tx, { accountId: by.accountId })
      await this.#audit(tx, by, 'require-factor', { required })
      return true
    })
  }

  /** Sets the daily limits of all assistants of a person, or of the account. */
  limitAssistants(by: By, personId: string | undefined, limits: AssistantLimits): Promise<boolean> {
    return this.#parts.database.write(async (tx) => {
      const changed = await setAssistantLimits(tx, by.accountId, personId, limits)
      if (changed) {
        const spend = limits.spend === null ? null : toDecimal(limits.spend)
        const whose = personId === undefined ? {} : { person: personId }
        await this.#audit(tx, by, 'limit', { ...whose, spend, messages: limits.messages })
      }
      return changed
    })
  }

  /** The country of numbers that people write without a country code; empty for none. False when it is so already. */
  setCountry({ actor, accountId }: By, country: string): Promise<boolean> {
    return this.#parts.database.write(async (tx) => {
      await lockForChange(tx, accountId)
      const account = await findAccount(tx, accountId)
      if (!account || account.country === country) return false
      await setAccountFacts(tx, accountId, { ...account, country })
      const detail = { country, countryBefore: account.country }
      await this.#write(tx, { actor, accountId, action: 'account.edit', detail })
      return true
    })
  }

  async #audit(
    tx: Tx,
    { actor, accountId, reason }: By,
    action: 'invite' | 'withdraw' | 'role' | 'remove' | 'reset-factors' | 'require-factor' | 'limit',
    detail: Record<string, unknown>,
  ): Promise<void> {
    await lockForChange(tx, accountId)
    const why = reason === undefined ? {} : { reason }
    await this.#write(tx, { actor, accountId, action: `person.${action}`, detail: { ...detail, ...why } })
  }

  /** Takes back the links that somebody made, in one account or in all. */
  async #withdrawLinksBy(tx: Tx, by: By, personId: string, accountId?: string): Promise<void> {
    const withdrawn = await withdrawInvitationsBy(tx, actorOf(personId), accountId)
    for (const { accountId, email } of withdrawn)
      await this.#audit(tx, { ...by, accountId }, 'withdraw', { email })
  }
}

async function mayInvite(tx: Tx, { actor, accountId }: By): Promise<boolean> {
  const roles = await lockRoles(tx, accountId)
  return [...roles].some(([personId, role]) => actorOf(personId) === actor && mayDo(role, 'people'))
}

/** Whether nobody else is an owner. The people are locked, so this stays so. */
function isLastOwner(roles: ReadonlyMap<string, Role>, personId: string): boolean {
  return (
    roles.get(personId) === 'owner' && [...roles.values()].filter((role) => role === 'owner').length === 1
  )
}

/** Leaves nothing to sign in with, and ends what was signed in. */
export async function forgetProofs(tx: Tx, personId: string): Promise<void> {
  await forgetFactors(tx, ownerOf(personId))
  await setPasswordHash(tx, personId, null)
  await endSessionsOfPerson(tx, personId)
}

function isOperator({ actor }: By): boolean {
  return !actor.startsWith('person:')
}
