import { type ChangeAccount, setPasswordHash } from '../accounts/index.ts'
import { endSessions } from './sessions.ts'
import { clearFailures } from './sign-in-attempts.ts'
import { emailHashOf } from './sign-in-limits.ts'

export type SetPassword = (account: string, passwordHash: string) => Promise<void>

/** Sets an account's password, ends all its sessions and clears its failed attempts. */
export function createSetPassword(change: ChangeAccount): SetPassword {
  return (idOrEmail, passwordHash) =>
    change('account.set-password', idOrEmail, {}, async (tx, { id, email }) => {
      await setPasswordHash(tx, id, passwordHash)
      await endSessions(tx, id)
      await clearFailures(tx, emailHashOf(email))
    })
}
