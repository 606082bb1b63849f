import type { Micros } from '@wigwag/contract'
import type { Ticket } from '../domain/ids.ts'
import type { Tx } from '../platform/database/database.ts'
import { inChunks, placeholders } from '../platform/database/rows.ts'

/** What a ledger's reader wants to know of a message that was charged. */
export interface ChargedMessage {
  id: Ticket
  recipient: string
  segments: number
  price: Micros
}

/** Those of a wallet's messages that have these tickets. */
export async function chargedMessages(
  { run }: Tx,
  walletId: string,
  tickets: readonly Ticket[],
): Promise<Map<string, ChargedMessage>> {
  const found = new Map<string, ChargedMessage>()
  await inChunks(tickets, async (chunk) => {
    const rows = await run<ChargedMessage>(
      `SELECT id, recipient, segments, price FROM messages
       WHERE wallet_id = $1 AND id IN ${placeholders(1, chunk.length, undefined, 1)}`,
      [walletId, ...chunk],
    )
    for (const row of rows) found.set(row.id, row)
  })
  return found
}

/** The messages for which a wallet's money is held. */
export interface OpenMessages {
  pending: number
  scheduled: number
  /** There are more: counting stopped. */
  more: boolean
}

const COUNTED = 1_000

/** Counts open messages, at most the newest thousand. */
export async function countOpen({ run }: Tx, walletId: string): Promise<OpenMessages> {
  const rows = await run<{ status: string; count: number }>(
    `SELECT status, count(*) AS count FROM
       (SELECT status FROM messages WHERE wallet_id = $1 AND sender_key IS NULL
        ORDER BY created_at DESC LIMIT ${COUNTED}) AS newest
     GROUP BY status`,
    [walletId],
  )
  const countOf = (status: string) => rows.find((row) => row.status === status)?.count ?? 0
  const [pending, scheduled] = [countOf('pending'), countOf('scheduled')]
  return { pending, scheduled, more: pending + scheduled === COUNTED }
}
