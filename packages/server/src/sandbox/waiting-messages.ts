import type { Ticket } from '../domain/ids.ts'
import type { Tx } from '../platform/database/database.ts'

/** A message that stays pending until it is told how it ended. */
export interface WaitingMessage {
  id: Ticket
  recipient: string
}

/** Of a wallet's open messages, only so many of the newest are looked at. */
const LOOKED_AT = 500

/** A wallet's newest messages to numbers that the simulator is silent about. */
export function waitingMessages({ run }: Tx, walletId: string, most: number): Promise<WaitingMessage[]> {
  return run(
    `SELECT id, recipient FROM (
       SELECT id, recipient, status, created_at FROM messages WHERE wallet_id = $1 AND sender_key IS NULL
       ORDER BY created_at DESC LIMIT ${LOOKED_AT}) AS newest
     WHERE status = 'pending' AND recipient LIKE '%00005' ORDER BY created_at DESC LIMIT $2`,
    [walletId, most],
  )
}

/** When a wallet's next scheduled message goes out; undefined when none waits. */
export async function nextScheduled({ run }: Tx, walletId: string): Promise<number | undefined> {
  const [row] = await run<{ at: number }>(
    `SELECT send_at AS at FROM messages WHERE wallet_id = $1 AND status = 'scheduled' ORDER BY send_at LIMIT 1`,
    [walletId],
  )
  return row?.at
}

/** How many messages a wallet has sent, by its running totals. */
export async function countSentBy({ run }: Tx, walletId: string): Promise<number> {
  const [row] = await run<{ sent: number }>(
    'SELECT CAST(coalesce(sum(sent), 0) AS BIGINT) AS sent FROM hourly_totals WHERE wallet_id = $1',
    [walletId],
  )
  return row?.sent ?? 0
}
