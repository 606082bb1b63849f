import type { Connection } from './database.ts'
import { insertMessages, type NewMessage } from './messages.ts'
import { enqueue, firstJob } from './outbox.ts'
import { addToTotals, countSent } from './totals.ts'

/** Stores accepted messages, each with the job that sends it. A scheduled one counts as sent when it is due. */
export async function storeAccepted(
  connection: Connection,
  messages: readonly NewMessage[],
  validityMs: number,
): Promise<void> {
  await insertMessages(connection, messages)
  await addToTotals(connection, messages.filter(({ status }) => status === 'pending').map(countSent))
  await enqueue(
    connection,
    messages.map((message) => firstJob(message, validityMs)),
  )
}
