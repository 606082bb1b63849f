import type { AccountRow } from '../../../accounts/index.ts'
import type { Member } from '../../../people/index.ts'

/** The account's own fields. */
export function accountLine({ id, name, email, status, statusAt, createdAt }: AccountRow) {
  return {
    ...{ accountId: id, name, email, status },
    statusSince: new Date(statusAt).toISOString(),
    createdAt: new Date(createdAt).toISOString(),
  }
}

/** Somebody in an account. */
export function personLine({ email, role, since, hasPassword, passkeys, hasGenerator }: Member) {
  const means = [
    ...(passkeys > 0 ? [passkeys === 1 ? 'a passkey' : `${passkeys} passkeys`] : []),
    ...(hasPassword ? ['a password'] : []),
    ...(hasGenerator ? ['a code generator'] : []),
  ]
  return {
    ...{ email, role, since: new Date(since).toISOString() },
    signsInWith: means.length === 0 ? 'nothing yet' : means.join(' and '),
  }
}
