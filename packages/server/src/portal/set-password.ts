import { type ChangeAccount, setPasswordHash } from '../accounts/index.ts'
import type { Tx } from '../platform/database/database.ts'
import { endSessions } from './sessions.ts'
import { clearFailures } from './sign-in-attempts.ts'
import { emailHashOf } from './sign-in-limits.ts'

export interface SetPasswordOptions {
  /** Leaves the account's assistants connected. Otherwise those that an intruder connected would stay. */
  keepConnections?: boolean
}

/** Returns the ids of the connections that ended. */
export type SetPassword = (
  account: string,
  passwordHash: string,
  options?: SetPasswordOptions,
) => Promise<string[]>

/** Sets an account's password, ends all its sessions and its assistants' connections, and clears its failed attempts. */
export function createSetPassword(
  change: ChangeAccount,
  endConnections: (tx: Tx, accountId: string) => Promise<string[]>,
): SetPassword {
  return (idOrEmail, passwordHash, { keepConnections = false } = {}) =>
    change('account.set-password', idOrEmail, {}, async (tx, { id, email }) => {
      await setPasswordHash(tx, id, passwordHash)
      await endSessions(tx, id)
      await clearFailures(tx, emailHashOf(email))
      return keepConnections ? [] : endConnections(tx, id)
    })
}
