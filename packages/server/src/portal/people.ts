import { toDecimal } from '@wigwag/contract'
import { lockForChange } from '../accounts/index.ts'
import { actorOf, createAudit } from '../audit/index.ts'
import type { EpochMs } from '../domain/ids.ts'
import { forgetFactors } from '../factors/index.ts'
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
} from '../people/index.ts'
import type { Clock } from '../platform/clock.ts'
import type { Database, Tx } from '../platform/database/database.ts'
import type { Role, SecondFactor } from '../platform/database/schema.ts'
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

/** The people of an account. Everything that is taken from somebody is gone in the transaction that says so. */
export interface People {
  list(accountId: string): Promise<{ members: Member[]; invited: InvitationRow[] }>
  invite(by: By, email: string, role: Role): Promise<Invite>
  withdraw(by: By, email: string): Promise<boolean>
  /** An owner who becomes less takes back the links that they made. */
  setRole(by: By, personId: string, role: Role): Promise<Changed>
  /** Their sessions in the account end, and so do the assistants that they let in and the links that they made. */
  remove(by: By, personId: string): Promise<Changed>
  /**
   * Forgets all that somebody signs in with, and takes back the links that they made. Their assistants, in every account,
   * end too unless they are kept. The secret is of the link by which they begin anew.
   */
  reset(by: By, personId: string, assistants?: 'end' | 'keep'): Promise<string | undefined>
  /** Whether everybody needs a second factor. An owner can't lift what the operator requires. */
  requireFactor(by: By, required: SecondFactor): Promise<boolean>
  /** What all assistants of somebody, or of the account, may do in a day. */
  limitAssistants(by: By, personId: string | undefined, limits: AssistantLimits): Promise<boolean>
}

export interface AssistantLimits {
  /** In millionths; null for no limit. */
  spend: Member['assistantsSpend']
  messages: number | null
}

export interface PeopleParts {
  database: Database
  clock: Pick<Clock, 'now'>
  /** The real time, by which links end. */
  realClock: Pick<Clock, 'now'>
  newId(now: EpochMs): string
  endConnections: EndConnections
}

/** Ends the connections that somebody let into an account, or into all. */
export type EndConnections = (
  tx: Tx,
  of: { accountId?: string; personId: string },
  reason: string,
) => Promise<string[]>

export function createPeople(parts: PeopleParts): People {
  const { database, clock, realClock, endConnections } = parts
  const write = createAudit(parts)

  async function audit(
    tx: Tx,
    { actor, accountId, reason }: By,
    action: 'invite' | 'withdraw' | 'role' | 'remove' | 'reset-factors' | 'require-factor' | 'limit',
    detail: Record<string, unknown>,
  ): Promise<void> {
    await lockForChange(tx, accountId)
    const why = reason === undefined ? {} : { reason }
    await write(tx, { actor, accountId, action: `person.${action}`, detail: { ...detail, ...why } })
  }

  /** Takes back the links that somebody made, in one account or in all. */
  async function withdrawLinksBy(tx: Tx, by: By, personId: string, accountId?: string): Promise<void> {
    const withdrawn = await withdrawInvitationsBy(tx, actorOf(personId), accountId)
    for (const { accountId, email } of withdrawn) await audit(tx, { ...by, accountId }, 'withdraw', { email })
  }

  async function mayInvite(tx: Tx, { actor, accountId }: By): Promise<boolean> {
    const roles = await lockRoles(tx, accountId)
    return [...roles].some(([personId, role]) => actorOf(personId) === actor && mayDo(role, 'people'))
  }

  /** Whether nobody else is an owner. The people are locked, so this stays so. */
  const isLastOwner = (roles: ReadonlyMap<string, Role>, personId: string) =>
    roles.get(personId) === 'owner' && [...roles.values()].filter((role) => role === 'owner').length === 1

  return {
    list: (accountId) =>
      database.read(async (tx) => ({
        members: await membersOf(tx, accountId),
        invited: await invitationsOf(tx, accountId, realClock.now()),
      })),

    invite: (by, email, role) =>
      database.write(async (tx) => {
        const { accountId, actor } = by
        // Locked, so that an owner who is being removed makes no link that outlives them.
        if (!isOperator(by) && !(await mayInvite(tx, by))) return 'not allowed'
        const member = (await membersOf(tx, accountId)).find((one) => one.email === email)
        if (member?.canSignIn) return 'in already'
        await audit(tx, by, 'invite', { email, role })
        const invitation = { accountId, email, role, createdBy: actor }
        return { secret: await makeInvitation(tx, invitation, realClock.now()) }
      }),

    withdraw: (by, email) =>
      database.write(async (tx) => {
        const gone = await withdrawInvitation(tx, by.accountId, email)
        if (gone) await audit(tx, by, 'withdraw', { email })
        return gone
      }),

    setRole: (by, personId, role) =>
      database.write(async (tx) => {
        const { accountId } = by
        const roles = await lockRoles(tx, accountId)
        const before = roles.get(personId)
        if (before === undefined) return 'gone'
        if (before === role) return 'as before'
        if (isLastOwner(roles, personId)) return 'last owner'
        await setRole(tx, { accountId, personId }, role)
        if (!mayDo(role, 'people')) await withdrawLinksBy(tx, by, personId, accountId)
        await audit(tx, by, 'role', { person: personId, from: before, to: role })
        return 'changed'
      }),

    remove: (by, personId) =>
      database.write(async (tx) => {
        const { accountId } = by
        const roles = await lockRoles(tx, accountId)
        if (!roles.has(personId)) return 'gone'
        if (isLastOwner(roles, personId)) return 'last owner'
        await endMembership(tx, { accountId, personId }, clock.now())
        await endSessionsIn(tx, { accountId, personId })
        await lockPerson(tx, personId)
        // Who is in no account signs in to nothing: with another invitation they begin anew.
        if ((await accountsOfPerson(tx, personId)).length === 0) await forgetProofs(tx, personId)
        await endConnections(tx, { accountId, personId }, 'who let it in left the account')
        await withdrawLinksBy(tx, by, personId, accountId)
        await audit(tx, by, 'remove', { person: personId })
        return 'changed'
      }),

    reset: (by, personId, assistants = 'end') =>
      database.write(async (tx) => {
        const { accountId } = by
        const member = (await membersOf(tx, accountId)).find((one) => one.personId === personId)
        if (!member) return undefined
        const { email, role } = member
        // Locks the link before the person, as `Joining.begin` does.
        const secret = await makeInvitation(
          tx,
          { accountId, email, role, createdBy: by.actor },
          realClock.now(),
        )
        await lockPerson(tx, personId)
        await forgetProofs(tx, personId)
        await withdrawLinksBy(tx, by, personId)
        if (assistants === 'end')
          await endConnections(tx, { personId }, 'who let it in began anew to sign in')
        await audit(tx, by, 'reset-factors', { person: personId })
        return secret
      }),

    requireFactor: (by, required) =>
      database.write(async (tx) => {
        const changed = await setSecondFactor(tx, by.accountId, required, isOperator(by))
        if (!changed) return false
        // The next sign-in of everybody leads through it.
        if (required !== 'optional') await endSessionsByPassword(tx, { accountId: by.accountId })
        await audit(tx, by, 'require-factor', { required })
        return true
      }),

    limitAssistants: (by, personId, limits) =>
      database.write(async (tx) => {
        const changed = await setAssistantLimits(tx, by.accountId, personId, limits)
        if (changed) {
          const spend = limits.spend === null ? null : toDecimal(limits.spend)
          const whose = personId === undefined ? {} : { person: personId }
          await audit(tx, by, 'limit', { ...whose, spend, messages: limits.messages })
        }
        return changed
      }),
  }
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
