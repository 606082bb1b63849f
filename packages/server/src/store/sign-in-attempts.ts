import type { EpochMs } from '../domain/ids.ts'
import type { Connection } from './database.ts'
import { insertRows } from './rows.ts'
import type { Tables } from './schema.ts'
import { writeSetting } from './settings.ts'
import { deleteSlice } from './slices.ts'

export type AttemptRow = Tables['signInAttempts']['$inferSelect']

export interface Span {
  since: EpochMs
  /** How many of the newest are wanted. */
  most: number
}

/**
 * Whoever counts attempts and adds one queues for this row until the transaction ends, in whatever process. There
 * may be no other row to queue for: nobody has the e-mail address that was typed, and it is the first attempt.
 */
export function takeTurn(connection: Connection): Promise<void> {
  return writeSetting(connection, 'sign_in_turn', '')
}

export function insertAttempt(connection: Connection, attempt: AttemptRow): Promise<void> {
  return insertRows(connection, connection.t.signInAttempts, [attempt])
}

/** When an e-mail address was tried in vain, the newest first. */
export async function failuresOf(
  { run }: Connection,
  emailHash: string,
  { since, most }: Span,
): Promise<EpochMs[]> {
  const rows = await run<Pick<AttemptRow, 'at'>>(
    `SELECT at FROM sign_in_attempts WHERE email_hash = $1 AND at > $2 AND failed = 1
     ORDER BY at DESC LIMIT $3`,
    [emailHash, since, most],
  )
  return rows.map(({ at }) => at)
}

/** When a network address tried anything, the newest first. */
export function attemptsFrom(connection: Connection, address: string, span: Span): Promise<EpochMs[]> {
  return attemptsWhere(connection, 'address = $1', address, span)
}

/** The same for all addresses whose names begin alike. */
export function attemptsFromWithin(
  connection: Connection,
  beginning: string,
  span: Span,
): Promise<EpochMs[]> {
  return attemptsWhere(connection, 'address LIKE $1', `${beginning}%`, span)
}

async function attemptsWhere(
  { run }: Connection,
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

export async function markFailed({ run }: Connection, id: string): Promise<void> {
  await run('UPDATE sign_in_attempts SET failed = 1 WHERE id = $1', [id])
}

/** Forgives what an e-mail address failed at. The attempts still count for the addresses they came from. */
export async function clearFailures({ run }: Connection, emailHash: string): Promise<void> {
  await run('UPDATE sign_in_attempts SET failed = 0 WHERE email_hash = $1 AND failed = 1', [emailHash])
}

/** Forgets a slice of the attempts that no limit counts any more, and says whether there may be more. */
export function pruneAttempts(connection: Connection, before: EpochMs): Promise<boolean> {
  return deleteSlice(connection, {
    table: 'sign_in_attempts',
    key: 'id',
    where: 'at < $1',
    values: [before],
    orderBy: 'at',
  })
}
