import type { AccountRow } from '../../accounts/index.ts'

/** The account's own fields. */
export function accountLine({ id, name, email, status, createdAt }: AccountRow) {
  return { accountId: id, name, email, status, createdAt: new Date(createdAt).toISOString() }
}
