import type { EpochMs } from '../../domain/ids.ts'
import type { Tx } from '../../platform/database/database.ts'
import { insertRows } from '../../platform/database/rows.ts'
import type { Tables } from '../../platform/database/schema.ts'
import { writeSetting } from '../../platform/database/settings.ts'
import { deleteSlice } from '../../platform/database/slices.ts'

export type AttemptRow = Tables['signInAttempts']['$inferSelect']

export interface Span {
  since: EpochMs
  /** How many of the newest are wanted. */
  most: number
}

/**
 * Locks one row that all sign-ins share until the transaction ends, so that counting and adding attempts is serial
 * across processes. There may be no other row to lock: the e-mail may be unknown, and the attempt its first.
 */
export function takeTurn(tx: Tx): Promise<void> {
  return writeSetting(tx, 'sign_in_turn', '')
}

export function insertAttempt(tx: Tx, attempt: AttemptRow): Promise<void> {
  return insertRows(tx, tx.t.signInAttempts, [attempt])
}

/** The times of an e-mail's failed attempts, newest first. */
export async function failuresOf({ run }: Tx, emailHash: string, { since, most }: Span): Promise<EpochMs[]> {
  const rows = await run<Pick<AttemptRow, 'at'>>(
    `SELECT at FROM sign_in_attempts WHERE email_hash = $1 AND at > $2 AND failed = 1
     ORDER BY at DESC LIMIT $3`,
    [emailHash, since, most],
  )
  return rows.map(({ at }) => at)
}

/** The times of all attempts from a network address, newest first. */
export function attemptsFrom(tx: Tx, address: string, span: Span): Promise<EpochMs[]> {
  return attemptsWhere(tx, 'address = $1', address, span)
}

/** The same for all addresses that begin with this text. */
export function attemptsFromWithin(tx: Tx, beginning: string, span: Span): Promise<EpochMs[]> {
  return attemptsWhere(tx, 'address LIKE $1', `${beginning}%`, span)
}

async function attemptsWhere(
  { run }: Tx,
  condition: string,
  address: string,
  { since, most }: Span,
): Promise<EpochMs[]> {
  const rows = await run<Pick<AttemptRow, 'at'>>(
    `SELECT at FROM sign_in_attempts WHERE ${condition} AND at > $2 ORDER BY at DESC LIMIT $3`,
    [address, since, most],
  )
  return rows.map(({ at }) => at)
}

export async function markFailed({ run }: Tx, id: string): Promise<void> {
  await run('UPDATE sign_in_attempts SET failed = 1 WHERE id = $1', [id])
}

/** Clears the failures of an e-mail. The attempts still count for the network addresses they came from. */
export async function clearFailures({ run }: Tx, emailHash: string): Promise<void> {
  await run('UPDATE sign_in_attempts SET failed = 0 WHERE email_hash = $1 AND failed = 1', [emailHash])
}

/** Deletes a slice of the attempts made before a time. Returns whether there may be more. */
export function pruneAttempts(tx: Tx, before: EpochMs): Promise<boolean> {
  return deleteSlice(tx, {
    table: 'sign_in_attempts',
    key: 'id',
    where: 'at < $1',
    values: [before],
    orderBy: 'at',
  })
}
