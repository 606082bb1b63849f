import type { Connection, Value } from './database.ts'
import { insertMessages, type NewMessage } from './messages.ts'
import { enqueue, enqueueClaimed, firstJob, type Job, type NewJob } from './outbox.ts'
import { addToTotals, countSent } from './totals.ts'

/** Messages in a row: few enough to be put away in a moment. */
const ROW = 128
/** Rows that are read at a time. */
const ROWS = 4
/** Messages that are put away at a time, so that nobody waits long for work that is not theirs. */
const MOST = 1_024

/** What a message has for itself. The rest is the same for every message of a row, or follows from it. */
const OWN = [
  'id',
  'sender',
  'recipient',
  'content',
  'reference',
  'callbackUrl',
  'encoding',
  'segments',
  'country',
  'network',
  'price',
  'createdAt',
] as const satisfies readonly (keyof NewMessage)[]

/** A row of the intake. It names its columns, so that a later version of this program can tell what it finds. */
interface Written {
  common: Omit<NewMessage, (typeof OWN)[number] | 'effectedAt'>
  validityMs: number
  columns: readonly string[]
  rows: Value[][]
}

/**
 * Stores accepted messages. Where each page that a commit touches has to be waited for, those that are to go out at
 * once are only written down, one after the other; they are put into their tables and indexes, many at a time,
 * before anybody looks there.
 */
export async function storeAccepted(
  connection: Connection,
  messages: readonly NewMessage[],
  validityMs: number,
): Promise<void> {
  const byHaste = Map.groupBy(messages, ({ status }) => connection.keepsIntake && status === 'pending')
  const direct = byHaste.get(false) ?? []
  await putIn(connection, direct)
  await enqueue(
    connection,
    direct.map((message) => firstJob(message, validityMs)),
  )
  for (const [walletId, ofWallet] of Map.groupBy(byHaste.get(true) ?? [], (message) => message.walletId)) {
    for (let from = 0; from < ofWallet.length; from += ROW) {
      const some = ofWallet.slice(from, from + ROW)
      await connection.run('INSERT INTO intake (wallet_id, promised, messages) VALUES ($1, $2, $3)', [
        walletId,
        some.reduce((sum, { price }) => sum + price, 0),
        written(some, validityMs),
      ])
    }
  }
}

/** Whether accepted messages are missing from their tables. */
export async function intakeWaits({ keepsIntake, run }: Connection): Promise<boolean> {
  if (!keepsIntake) return false
  const [row] = await run('SELECT seq FROM intake LIMIT 1', [])
  return row !== undefined
}

/** Puts the oldest of what was written down into its tables, for whoever looks there. Says whether that was all. */
export async function emptyIntake(connection: Connection): Promise<boolean> {
  const { messages, jobs, left } = await takeOut(connection, MOST)
  await putIn(connection, messages)
  await enqueue(connection, jobs)
  return !left
}

/** Puts the oldest into its tables for whoever hands it to the carrier at once: its jobs are claimed, and know it. */
export async function claimIntake(
  connection: Connection,
  { leaseUntil, limit }: { leaseUntil: number; limit: number },
): Promise<Job[]> {
  const { messages, jobs } = await takeOut(connection, limit)
  await putIn(connection, messages)
  const claimed = await enqueueClaimed(connection, jobs, leaseUntil)
  return claimed.map((job, index) => Object.assign(job, { message: messages[index] }))
}

/** Takes the oldest rows out, until they hold so many messages. */
async function takeOut(connection: Connection, most: number) {
  const messages: NewMessage[] = []
  const jobs: NewJob[] = []
  let last = 0
  let left = connection.keepsIntake
  while (left && messages.length < most) {
    const rows = await connection.run<{ seq: number; messages: string }>(
      'SELECT seq, messages FROM intake WHERE seq > $1 ORDER BY seq LIMIT $2',
      [last, ROWS],
    )
    for (const row of rows) {
      const written = JSON.parse(row.messages) as Written
      for (const message of messagesOf(written)) {
        messages.push(message)
        jobs.push(firstJob(message, written.validityMs))
      }
      last = row.seq
    }
    left = rows.length === ROWS
  }
  if (last > 0) await connection.run('DELETE FROM intake WHERE seq <= $1', [last])
  return { messages, jobs, left }
}

async function putIn(connection: Connection, messages: readonly NewMessage[]): Promise<void> {
  await insertMessages(connection, messages)
  await addToTotals(connection, messages.filter(({ status }) => status === 'pending').map(countSent))
}

function written(messages: readonly NewMessage[], validityMs: number): string {
  const [first] = messages
  if (!first) throw new RangeError('expected messages to write down, got none')
  const { accountId, walletId, status, balanceBefore, balanceAfter, sendAt } = first
  const row: Written = {
    common: { accountId, walletId, status, balanceBefore, balanceAfter, sendAt },
    validityMs,
    columns: OWN,
    rows: messages.map((message) => OWN.map((column) => message[column])),
  }
  return JSON.stringify(row)
}

function messagesOf({ common, columns, rows }: Written): NewMessage[] {
  return rows.map((row) => {
    const own = Object.fromEntries(columns.map((column, index) => [column, row[index]]))
    const message = { ...common, ...own } as NewMessage
    message.effectedAt = message.createdAt
    return message
  })
}
