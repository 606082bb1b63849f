import { OperatorError, requireAccount } from '../accounts/index.ts'
import type { Acting } from '../audit/index.ts'
import {
  accountsOfPerson,
  canSignIn,
  findPerson,
  type InvitationRow,
  type Member,
  type Membership,
  makeInvitation,
  membersOf,
} from '../people/index.ts'
import type { Database } from '../platform/database/database.ts'
import type { Role } from '../platform/database/schema.ts'
import { type AssistantLimits, type By, type Changed, createPeople, type PeopleParts } from './people.ts'

/** An operator's work on the people of an account, found by its ID or e-mail, and by the addresses of the people. */
export interface OperatorPeople {
  list(account: string): Promise<{ members: Member[]; invited: InvitationRow[] }>
  /** The secret of a link, good once and for three days, by which somebody comes in. */
  invite(account: string, email: string, role: Role): Promise<string>
  /** The secret of a link for the owner of a new account; undefined when the operator gave them a password. */
  firstLink(account: string, email: string): Promise<string | undefined>
  /** The other accounts to which an address signs in already. No one has checked whose address it is. */
  signsInElsewhere(account: string, email: string): Promise<Membership[]>
  withdraw(account: string, email: string): Promise<void>
  /** False when it is so already. */
  setRole(account: string, email: string, role: Role): Promise<boolean>
  remove(account: string, email: string): Promise<void>
  /** The secret of the link by which somebody begins anew. Their assistants are disconnected unless they are kept. */
  reset(account: string, email: string, assistants?: 'end' | 'keep'): Promise<string>
  /** False when it is so already. */
  requireFactor(account: string, required: boolean): Promise<boolean>
  /** Of one person's assistants, or of all. */
  limitAssistants(account: string, email: string | undefined, limits: AssistantLimits): Promise<void>
}

export function createOperatorPeople(
  parts: PeopleParts & { database: Database; acting: Acting },
): OperatorPeople {
  const { database, acting } = parts
  const people = createPeople(parts)

  async function by(idOrEmail: string): Promise<By> {
    const { id: accountId } = await database.read((tx) => requireAccount(tx, idOrEmail))
    return { ...acting, accountId }
  }

  async function memberOf(idOrEmail: string, email: string): Promise<{ by: By; personId: string }> {
    const who = await by(idOrEmail)
    const { members } = await people.list(who.accountId)
    const member = members.find((one) => one.email === email.toLowerCase())
    if (!member) throw notIn(who, email)
    return { by: who, personId: member.personId }
  }

  function isChanged(changed: Changed, who: By, email: string): boolean {
    if (changed === 'gone') throw notIn(who, email)
    if (changed === 'last owner')
      throw new OperatorError(
        `${email} is the only owner of account ${who.accountId}, and an account keeps one; make somebody else an owner first`,
      )
    return changed === 'changed'
  }

  return {
    async list(account) {
      return people.list((await by(account)).accountId)
    },

    async invite(account, email, role) {
      const who = await by(account)
      const invited = await people.invite(who, email.toLowerCase(), role)
      if (typeof invited === 'object') return invited.secret
      throw new OperatorError(
        `${email} is in account ${who.accountId} and can sign in; wigwag person role changes the role, and wigwag person reset-factors gives a new link to who lost everything`,
      )
    },

    // The log says that the account was made.
    firstLink: (account, email) =>
      database.write(async (tx) => {
        const { id: accountId } = await requireAccount(tx, account)
        const address = email.toLowerCase()
        const owner = (await membersOf(tx, accountId)).find((one) => one.email === address)
        if (owner?.canSignIn) return undefined
        const invitation = { accountId, email: address, role: 'owner', createdBy: acting.actor } as const
        return makeInvitation(tx, invitation, parts.realClock.now())
      }),

    signsInElsewhere: (account, email) =>
      database.read(async (tx) => {
        const { id } = await requireAccount(tx, account)
        const person = await findPerson(tx, email.toLowerCase())
        if (!person || !(await canSignIn(tx, person.id))) return []
        return (await accountsOfPerson(tx, person.id)).filter(({ accountId }) => accountId !== id)
      }),

    async withdraw(account, email) {
      const who = await by(account)
      if (!(await people.withdraw(who, email.toLowerCase())))
        throw new OperatorError(`${email} has no link to account ${who.accountId} that is still good`)
    },

    async setRole(account, email, role) {
      const { by: who, personId } = await memberOf(account, email)
      return isChanged(await people.setRole(who, personId, role), who, email)
    },

    async remove(account, email) {
      const { by: who, personId } = await memberOf(account, email)
      isChanged(await people.remove(who, personId), who, email)
    },

    async reset(account, email, assistants) {
      const { by: who, personId } = await memberOf(account, email)
      const secret = await people.reset(who, personId, assistants)
      if (secret === undefined) throw notIn(who, email)
      return secret
    },

    async requireFactor(account, required) {
      return people.requireFactor(await by(account), required ? 'operator' : 'optional')
    },

    async limitAssistants(account, email, limits) {
      if (email === undefined) {
        await people.limitAssistants(await by(account), undefined, limits)
        return
      }
      const { by: who, personId } = await memberOf(account, email)
      await people.limitAssistants(who, personId, limits)
    },
  }
}

function notIn({ accountId }: By, email: string): OperatorError {
  return new OperatorError(
    `${email} is not in account ${accountId}; wigwag person list --account ${accountId} shows who is`,
  )
}
