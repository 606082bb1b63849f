import type { AccountRow } from '../../../accounts/index.ts'

/** The account's own fields. */
export function accountLine({ id, name, email, status, statusAt, createdAt }: AccountRow) {
  return {
    ...{ accountId: id, name, email, status },
    statusSince: new Date(statusAt).toISOString(),
    createdAt: new Date(createdAt).toISOString(),
  }
}
