import type { Connection } from './database.ts'
import { insertMessages, type NewMessage } from './messages.ts'
import { enqueue, firstJob, type JobTimes } from './outbox.ts'
import { addToTotals, countSent } from './totals.ts'

/** Stores accepted messages, each with the job that sends it. A scheduled one counts as sent when it is due. */
export async function storeAccepted(
  connection: Connection,
  messages: readonly NewMessage[],
  times: JobTimes,
): Promise<void> {
  await insertMessages(connection, messages)
  await addToTotals(connection, messages.filter(({ status }) => status === 'pending').map(countSent))
  await enqueue(
    connection,
    messages.map((message) => firstJob(message, times)),
  )
}
