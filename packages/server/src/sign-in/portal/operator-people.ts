import { OperatorError, requireAccount } from '../../accounts/index.ts'
import {
  accountsOfPerson,
  canSignIn,
  findPerson,
  type InvitationRow,
  type Member,
  type Membership,
  makeInvitation,
  membersOf,
} from '../../accounts/people/index.ts'
import type { Acting } from '../../store/audit/index.ts'
import type { Role } from '../../store/schema/schema.ts'
import { type AssistantLimits, type By, type Changed, type Changing, People } from './people.ts'

/** An operator's work on the people of an account, found by its ID or e-mail, and by the addresses of the people. */
export class OperatorPeople {
  readonly #parts: Changing & { acting: Acting }
  readonly #people: People

  constructor(parts: Changing & { acting: Acting }) {
    this.#parts = parts
    this.#people = new People(parts)
  }

  async list(account: string): Promise<{ members: Member[]; invited: InvitationRow[] }> {
    return this.#people.list((await this.#by(account)).accountId)
  }

  /** The secret of a link, good once and for three days, by which somebody comes in. */
  async invite(account: string, email: string, role: Role): Promise<string> {
    const who = await this.#by(account)
    const invited = await this.#people.invite(who, email.toLowerCase(), role)
    if (typeof invited === 'object') return invited.secret
    throw new OperatorError(
      `${email} is in account ${who.accountId} and can sign in; wigwag person role changes the role, and wigwag person reset-factors gives a new link to who lost everything`,
    )
  }

  /** The secret of a link for the owner of a new account; undefined when the operator gave them a password. */
  firstLink(account: string, email: string): Promise<string | undefined> {
    // The log says that the account was made.
    return this.#parts.database.write(async (tx) => {
      const { id: accountId } = await requireAccount(tx, account)
      const address = email.toLowerCase()
      const owner = (await membersOf(tx, accountId)).find((one) => one.email === address)
      if (owner?.canSignIn) return undefined
      const invitation = {
        accountId,
        email: address,
        role: 'owner',
        createdBy: this.#parts.acting.actor,
      } as const
      return makeInvitation(tx, invitation, this.#parts.realClock.now())
    })
  }

  /** The other accounts to which an address signs in already. No one has checked whose address it is. */
  signsInElsewhere(account: string, email: string): Promise<Membership[]> {
    return this.#parts.database.read(async (tx) => {
      const { id } = await requireAccount(tx, account)
      const person = await findPerson(tx, email.toLowerCase())
      if (!person || !(await canSignIn(tx, person.id))) return []
      return (await accountsOfPerson(tx, person.id)).filter(({ accountId }) => accountId !== id)
    })
  }

  async withdraw(account: string, email: string): Promise<void> {
    const who = await this.#by(account)
    if (!(await this.#people.withdraw(who, email.toLowerCase())))
      throw new OperatorError(`${email} has no link to account ${who.accountId} that is still good`)
  }

  /** False when it is so already. */
  async setRole(account: string, email: string, role: Role): Promise<boolean> {
    const { by: who, personId } = await this.#memberOf(account, email)
    return isChanged(await this.#people.setRole(who, personId, role), who, email)
  }

  async remove(account: string, email: string): Promise<void> {
    const { by: who, personId } = await this.#memberOf(account, email)
    isChanged(await this.#people.remove(who, personId), who, email)
  }

  /** The secret of the link by which somebody begins anew. Their assistants are disconnected unless they are kept. */
  async reset(account: string, email: string, assistants?: 'end' | 'keep'): Promise<string> {
    const { by: who, personId } = await this.#memberOf(account, email)
    const secret = await this.#people.reset(who, personId, assistants)
    if (secret === undefined) throw notIn(who, email)
    return secret
  }

  /** False when it is so already. */
  async requireFactor(account: string, required: boolean): Promise<boolean> {
    return this.#people.requireFactor(await this.#by(account), required ? 'operator' : 'optional')
  }

  /** Of one person's assistants, or of all. */
  async limitAssistants(account: string, email: string | undefined, limits: AssistantLimits): Promise<void> {
    if (email === undefined) {
      await this.#people.limitAssistants(await this.#by(account), undefined, limits)
      return
    }
    const { by: who, personId } = await this.#memberOf(account, email)
    await this.#people.limitAssistants(who, personId, limits)
  }

  async #memberOf(idOrEmail: string, email: string): Promise<{ by: By; personId: string }> {
    const who = await this.#by(idOrEmail)
    const { members } = await this.#people.list(who.accountId)
    const member = members.find((one) => one.email === email.toLowerCase())
    if (!member) throw notIn(who, email)
    return { by: who, personId: member.personId }
  }

  async #by(idOrEmail: string): Promise<By> {
    const { id: accountId } = await this.#parts.database.read((tx) => requireAccount(tx, idOrEmail))
    return { ...this.#parts.acting, accountId }
  }
}

function isChanged(changed: Changed, who: By, email: string): boolean {
  if (changed === 'gone') throw notIn(who, email)
  if (changed === 'last owner')
    throw new OperatorError(
      `${email} is the only owner of account ${who.accountId}, and an account keeps one; make somebody else an owner first`,
    )
  return changed === 'changed'
}

function notIn({ accountId }: By, email: string): OperatorError {
  return new OperatorError(
    `${email} is not in account ${accountId}; wigwag person list --account ${accountId} shows who is`,
  )
}
