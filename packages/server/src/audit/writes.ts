import { type Micros, toDecimal } from '@wigwag/contract'
import type { EpochMs } from '../domain/ids.ts'
import type { Tx } from '../platform/database/database.ts'
import type { Principal } from '../platform/http/principal.ts'
import { createAudit, createRefusalCount, type Refusal } from './audit.ts'

/** A write that an assistant requested through the API, or a person on a page, and its outcome. */
export interface Write {
  principal: Principal
  operation: string
  /** `done`, or the code of the problem that refused it. */
  outcome: string
  ticket?: string | undefined
  /** What it was about, where there is no ticket: a key, or a sender ID. */
  about?: string
  /** Audited for the account's own programs too, because it changes who may call or what may be sent. */
  always?: boolean
  messages?: number
  cost?: Micros
}

/**
 * Adds a row for every write of an assistant or a person, in the transaction that accepts it, and counts those that are
 * refused. Writes of the account's API clients get no row, but for those that change who may call or what may be sent.
 */
export async function auditWrites(
  tx: Tx,
  writes: readonly Write[],
  at: EpochMs,
  newId: (now: EpochMs) => string,
): Promise<void> {
  const clock = { now: () => at }
  const audit = createAudit({ clock, newId })
  const refusals = createRefusalCount({ clock })
  await audit(tx, ...writes.filter(isDone).flatMap(entryOf))
  await refusals(tx, ...writes.filter((write) => !isDone(write)).flatMap(entryOf))
}

/** Whether the caller's writes are audited: they are not the account's own programs. */
export function isAudited({ connection, person }: Principal): boolean {
  return connection !== undefined || person !== undefined
}

function isDone({ outcome }: Write): boolean {
  return outcome === 'done'
}

/** How the log names a person: by the id, which stays when the person is forgotten. */
export function actorOf(personId: string): string {
  return `person:${personId}`
}

/** How the log names a caller: a person, an assistant's connection, or an API client. */
export function actorOfCaller({ person, connection, clientId }: Principal): string {
  if (person !== undefined) return actorOf(person)
  return connection ? `connection:${connection.id}` : `client:${clientId}`
}

function entryOf({ principal, operation, cost, always, ...detail }: Write): Refusal[] {
  if (!always && !isAudited(principal)) return []
  const { accountId, person } = principal
  const priced = cost === undefined ? detail : { ...detail, cost: toDecimal(cost) }
  const detailed = { accountId, detail: priced }
  const action = person === undefined ? (`api ${operation}` as const) : (`console ${operation}` as const)
  return [{ actor: actorOfCaller(principal), action, ...detailed }]
}
