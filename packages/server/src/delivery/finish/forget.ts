import type { Ticket } from '../../domain/ids.ts'
import type { Tx } from '../../platform/database/database.ts'
import { inChunks, placeholders } from '../../platform/database/rows.ts'

/** Deletes the late receipts of messages that are deleted. Housekeeping prunes the carriers' references. */
export async function forgetLateReceipts({ run }: Tx, tickets: readonly Ticket[]): Promise<void> {
  await inChunks(tickets, async (chunk) => {
    await run(`DELETE FROM late_receipts WHERE message_id IN ${placeholders(1, chunk.length)}`, chunk)
  })
}
