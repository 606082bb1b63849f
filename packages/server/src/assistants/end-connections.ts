import {
  type AuditOptions,
  createAudit,
  createOperatorAudit,
  type OperatorAuditOptions,
} from '../audit/index.ts'
import type { EpochMs } from '../domain/ids.ts'
import type { Tx } from '../platform/database/database.ts'
import {
  activeIds,
  activeOfPerson,
  type ConnectionRow,
  endConnection,
  removeGrant,
  type Which,
} from './connection-rows.ts'
import { removeTokensOf } from './delegation.ts'

/** Every way of ending a connection goes through here, so that its tokens and records end with it. */
export async function endWithTokens(tx: Tx, which: Which, now: EpochMs): Promise<ConnectionRow | undefined> {
  const ended = await endConnection(tx, which, now)
  if (!ended) return undefined
  await removeTokensOf(tx, ended.id)
  await removeGrant(tx, ended.grantId)
  return ended
}

/** Ends the active connections that somebody made, in one account or in all, each with an audit row. Returns their ids. */
export function createEndOfPerson(options: AuditOptions) {
  const audit = createAudit(options)

  return async function endOfPerson(
    tx: Tx,
    of: { accountId?: string; personId: string },
    reason: string,
  ): Promise<string[]> {
    const active = await activeOfPerson(tx, of)
    for (const which of active) await endWithTokens(tx, which, options.clock.now())
    const entry = { actor: 'gateway', action: 'connection.end' } as const
    await audit(
      tx,
      ...active.map(({ id, accountId }) => ({ ...entry, accountId, detail: { connection: id, reason } })),
    )
    return active.map(({ id }) => id)
  }
}

/**
 * Ends active connections of an account for the operator: one, or all. Returns those that ended, each with an audit
 * row. The next call of each is refused, in every process, because a connection is looked up on every call.
 */
export type EndByOperator = (
  tx: Tx,
  accountId: string,
  which: string | 'all',
  reason: string,
) => Promise<string[]>

export function createEndByOperator(options: OperatorAuditOptions): EndByOperator {
  const { clock } = options
  const audit = createOperatorAudit(options)

  return async function endByOperator(tx, accountId, which, reason) {
    const ended: string[] = []
    for (const id of which === 'all' ? await activeIds(tx, accountId) : [which]) {
      if (await endWithTokens(tx, { accountId, id }, clock.now())) ended.push(id)
    }
    const entry = { action: 'connection.end', accountId } as const
    await audit(tx, ...ended.map((connection) => ({ ...entry, detail: { connection, reason } })))
    return ended
  }
}
