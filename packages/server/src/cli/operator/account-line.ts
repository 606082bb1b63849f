import { toDecimal } from '@wigwag/contract'
import type { AccountRow } from '../../accounts/index.ts'
import type { Member } from '../../accounts/people/index.ts'

/** The account's own fields. */
export function accountLine({ id, name, email, status, statusAt, createdAt, country }: AccountRow) {
  return {
    accountId: id,
    name,
    email,
    status,
    statusSince: new Date(statusAt).toISOString(),
    createdAt: new Date(createdAt).toISOString(),
    country: country === '' ? null : country,
  }
}

/** The daily limits of all of a person's assistants together; null without any. */
function limitsOf({ assistantsSpend: spend, assistantsMessages: messages }: Member) {
  if (spend === null && messages === null) return null
  return { spend: spend === null ? null : toDecimal(spend), messages }
}

/** Somebody in an account. */
export function personLine(member: Member) {
  const { email, role, since, hasPassword, passkeys, hasGenerator } = member
  const means = [
    ...(passkeys > 0 ? [passkeys === 1 ? 'a passkey' : `${passkeys} passkeys`] : []),
    ...(hasPassword ? ['a password'] : []),
    ...(hasGenerator ? ['a code generator'] : []),
  ]
  return {
    email,
    role,
    since: new Date(since).toISOString(),
    signsInWith: means.length === 0 ? 'nothing yet' : means.join(' and '),
    limits: limitsOf(member),
  }
}
