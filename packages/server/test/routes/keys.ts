import { zKeyList, zRotatedKey } from '@wigwag/contract/validators'
import type * as z from 'zod'
import { answerOf, type Caller } from '../isolation/requests.ts'
import type { Changes } from '../support/harness.ts'

export type Key = z.infer<typeof zKeyList>['Items'][number]

/** The keys of a caller, by its API credentials. */
export async function keysOf(by: Caller, as: Changes = {}): Promise<Key[]> {
  return (await answerOf(by.call('GET', '/v1/account/keys', as), zKeyList)).Items
}

/** The current key of a kind. */
export async function currentOf(by: Caller, kind: Key['Kind'], as: Changes = {}): Promise<Key> {
  const key = (await keysOf(by, as)).find(({ Kind, ExpiresAt }) => Kind === kind && !ExpiresAt)
  if (!key) throw new Error(`there is no current ${kind} key`)
  return key
}

export const rotateById = (by: Caller, id: string, KeepOldFor: string, as: Changes = {}) =>
  by.call('POST', `/v1/account/keys/${id}/rotate`, as, { KeepOldFor })

/** Replaces the current key of a kind. */
export async function rotate(by: Caller, kind: Key['Kind'], KeepOldFor = 'P1D', as: Changes = {}) {
  const { Id } = await currentOf(by, kind, as)
  return { ...(await answerOf(rotateById(by, Id, KeepOldFor, as), zRotatedKey)), Replaced: Id }
}
