import { type ChangeAccount, OperatorError } from '../../accounts/index.ts'
import { membersOf, setPasswordHash } from '../../people/index.ts'
import type { Tx } from '../../platform/database/database.ts'
import { clearFailures } from '../limits/attempts.ts'
import { emailHashOf } from '../limits/limits.ts'
import { endSessionsOfPerson } from '../sessions.ts'

export interface SetPasswordOptions {
  /** Leaves the assistants of the account and of the person connected. Otherwise those that an intruder connected would stay. */
  keepConnections?: boolean
}

/** Returns the ids of the connections that ended. */
export type SetPassword = (
  account: string,
  passwordHash: string,
  options?: SetPasswordOptions,
) => Promise<string[]>

/**
 * Sets the password of the person who signs in with an account's address, ends all their sessions, the connections of
 * the account's assistants and those that they let into other accounts, and clears the failed attempts.
 */
export function createSetPassword(
  change: ChangeAccount,
  endConnections: (tx: Tx, of: { accountId: string; personId: string }) => Promise<string[]>,
): SetPassword {
  return (idOrEmail, passwordHash, { keepConnections = false } = {}) =>
    change('account.set-password', idOrEmail, {}, async (tx, { id, email }) => {
      const person = (await membersOf(tx, id)).find((member) => member.email === email)
      if (!person)
        throw new OperatorError(
          `${email} is not among the people of account ${id} any more; wigwag person list --account ${id} shows who is`,
        )
      await setPasswordHash(tx, person.personId, passwordHash)
      await endSessionsOfPerson(tx, person.personId)
      await clearFailures(tx, emailHashOf(email))
      return keepConnections ? [] : endConnections(tx, { accountId: id, personId: person.personId })
    })
}
