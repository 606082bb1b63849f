import { type Micros, micros } from '@wigwag/contract'
import { removeJobs } from '../flow/jobs/outbox.ts'
import { type EpochMs, epochMs, firstTicketAt, type Ticket } from '../kernel/ids.ts'
import { type Phone, phoneOf } from '../kernel/phone/phone.ts'
import type { Tx } from '../store/database.ts'
import { columnName, inChunks, placeholders } from '../store/rows.ts'
import { raiseSetting, readSetting } from '../store/settings.ts'
import { deleteSlice, SLICE, SLICE_OF_INDEXED } from '../store/slices.ts'

/**
 * Deletes a slice of a wallet's open messages, with their jobs. Returns what was held for them, and whether there may be
 * more. A message that becomes final at this moment is left to the one that removes its job.
 */
export async function forgetOpen(
  tx: Tx,
  walletId: string,
  slice = SLICE,
): Promise<{ held: Micros; more: boolean }> {
  const open = await tx.run<{ id: Ticket }>(
    `SELECT id FROM messages WHERE wallet_id = $1 AND sender_key IS NULL ORDER BY created_at LIMIT ${slice}`,
    [walletId],
  )
  const removed = await removeJobs(
    tx,
    open.map(({ id }) => id),
  )
  const deleted = await deleteMessages(tx, [...removed.keys()])
  return {
    held: micros(deleted.reduce((sum, { price }) => sum + price, 0)),
    more: open.length === slice && removed.size > 0,
  }
}

/**
 * Deletes a slice of a wallet's final messages from a time on. Returns their tickets, and the time of the last; undefined
 * when there are no more. Without the time, each slice would look through all rows that the slices before it deleted.
 */
export async function forgetFinal(
  tx: Tx,
  walletId: string,
  from: number,
  slice = SLICE,
): Promise<{ tickets: Ticket[]; last: number | undefined }> {
  const final = await tx.run<{ id: Ticket; at: number }>(
    `SELECT id, created_at AS at FROM messages
     WHERE wallet_id = $1 AND created_at >= $2 AND sender_key IS NOT NULL ORDER BY created_at LIMIT ${slice}`,
    [walletId, from],
  )
  const tickets = final.map(({ id }) => id)
  await deleteMessages(tx, tickets)
  return { tickets, last: final.at(-1)?.at }
}

/**
 * Deletes a slice of the messages that were accepted, and were final, before a time: of all wallets, oldest first, after
 * a ticket. The running totals and the ledger keep what they counted. Returns their tickets; fewer than asked for may be
 * left to another process. Undefined when there are no more.
 */
export async function forgetOld(
  tx: Tx,
  before: EpochMs,
  after: string,
): Promise<{ tickets: Ticket[]; last: string } | undefined> {
  const rows = await tx.run<{ id: Ticket }>(
    `SELECT id FROM messages WHERE id > $1 AND id < $2 AND sender_key IS NOT NULL AND effected_at < $3
     ORDER BY id LIMIT ${SLICE_OF_INDEXED} ${tx.locks.skipLocked}`,
    [after, firstTicketAt(before), before],
  )
  const tickets = rows.map(({ id }) => id)
  const last = tickets.at(-1)
  if (last === undefined) return undefined
  await deleteMessages(tx, tickets)
  return { tickets, last }
}

/** Messages accepted before this time may have been deleted because of their age; 0 if none ever was. */
export async function keptSince(tx: Tx): Promise<EpochMs> {
  return epochMs(Number((await readSetting(tx, 'messages_kept_since')) ?? 0))
}

/** Stores that messages accepted before a time are about to be deleted. Call it before the first deletion. */
export function noteForgotten(tx: Tx, before: EpochMs): Promise<void> {
  return raiseSetting(tx, 'messages_kept_since', before)
}

/** Deletes a slice of a wallet's running totals. Returns whether there may be more. */
export function forgetTotals(tx: Tx, walletId: string): Promise<boolean> {
  return deleteSlice(tx, {
    table: 'hourly_totals',
    key: 'wallet_id, hour, country, network',
    where: 'wallet_id = $1',
    values: [walletId],
    orderBy: 'hour',
  })
}

async function deleteMessages({ run }: Tx, ids: readonly string[]): Promise<{ price: Micros }[]> {
  const deleted: { price: Micros }[] = []
  await inChunks(ids, async (chunk) => {
    const rows = await run<{ price: Micros }>(
      `DELETE FROM messages WHERE id IN ${placeholders(1, chunk.length)} RETURNING price`,
      chunk,
    )
    deleted.push(...rows)
  })
  return deleted
}

/** Columns that may tell of a person, each with the SQL that blanks it. */
export const BLANK = {
  recipient: '$1',
  content: '$2',
  reference: "''",
  callbackUrl: 'NULL',
  failureReason: 'NULL',
  recipientKey: 'NULL',
} as const

/**
 * Takes recipient, text, reference and callback URL out of the final ones of some messages to a phone. Ticket, money,
 * times and status stay, so that ledger and insights do. Returns which were changed, and which are not final yet.
 */
export async function blankMessages(
  { run, locks }: Tx,
  ids: readonly Ticket[],
  { phone, mark }: { phone: Phone; mark: string },
): Promise<{ blanked: Ticket[]; open: Ticket[] }> {
  const blanked: Ticket[] = []
  const open: Ticket[] = []
  await inChunks(ids, async (chunk) => {
    const rows = await run<{ id: Ticket; recipient: string; key: number | null }>(
      `SELECT id, recipient, sender_key AS key FROM messages
       WHERE id IN ${placeholders(1, chunk.length)} ORDER BY id ${locks.forUpdate}`,
      chunk,
    )
    open.push(...rows.flatMap(({ id, key }) => (key === null ? [id] : [])))
    const final = rows
      .filter((row) => row.key !== null && phoneOf(row.recipient) === phone)
      .map(({ id }) => id)
    blanked.push(...final)
  })
  await inChunks(blanked, async (chunk) => {
    await run(
      `UPDATE messages SET ${Object.entries(BLANK)
        .map(([key, value]) => `${columnName(key)} = ${value}`)
        .join(', ')}
       WHERE id IN ${placeholders(1, chunk.length, undefined, 2)}`,
      [mark, mark, ...chunk],
    )
  })
  return { blanked, open }
}
