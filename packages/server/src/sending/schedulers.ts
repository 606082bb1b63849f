import { inArray } from 'drizzle-orm'
import { Problem } from '../domain/errors.ts'
import type { EpochMs } from '../domain/ids.ts'
import type { Tx } from '../platform/database/database.ts'
import { insertRows } from '../platform/database/rows.ts'
import { deleteSlice } from '../platform/database/slices.ts'
import type { PreparedSend } from './prepare.ts'

/** Stores which connections scheduled the messages of accepted sends. Others cost nothing. */
export async function noteSchedulers(tx: Tx, sends: readonly PreparedSend[]): Promise<void> {
  const rows = sends.flatMap(({ command, messages }) => {
    const { grant } = command.principal
    if (!grant) return []
    const waiting = messages.filter(({ status }) => status === 'scheduled')
    return waiting.map(({ id, sendAt }) => ({ messageId: id, connectionId: grant.id, sendAt }))
  })
  await insertRows(tx, tx.t.schedulers, rows)
}

/** Throws unless the connection scheduled the message. */
export async function requireScheduler({ run }: Tx, connectionId: string, ticket: string): Promise<void> {
  const [row] = await run('SELECT 1 AS one FROM schedulers WHERE message_id = $1 AND connection_id = $2', [
    ticket,
    connectionId,
  ])
  if (row) return
  throw new Problem(
    'scheduled_elsewhere',
    `This connection did not schedule ${ticket}, and it can cancel only what it scheduled itself. Ask the person to cancel it on the page Scheduled.`,
  )
}

/** Deletes a slice of the rows of messages that no longer wait. Returns whether there may be more. */
export function pruneSchedulers(tx: Tx, now: EpochMs): Promise<boolean> {
  return deleteSlice(tx, {
    table: 'schedulers',
    key: 'message_id',
    where: `send_at < $1 AND NOT EXISTS (
      SELECT 1 FROM messages WHERE messages.id = schedulers.message_id AND messages.status = 'scheduled')`,
    values: [now],
    orderBy: 'send_at',
  })
}

/** Deletes the rows of connections that are deleted. */
export async function forgetSchedulers({ db, t }: Tx, connectionIds: readonly string[]): Promise<void> {
  await db.delete(t.schedulers).where(inArray(t.schedulers.connectionId, [...connectionIds]))
}
