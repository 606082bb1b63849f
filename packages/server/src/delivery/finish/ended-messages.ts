import { and, eq, gte } from 'drizzle-orm'
import { foldedRef, foldsOf, spellingsOf } from '../../kernel/carrier-reference.ts'
import { type EpochMs, epochMs } from '../../kernel/ids.ts'
import { phoneOf } from '../../kernel/phone/phone.ts'
import { HOUR_MS } from '../../kernel/time/spans.ts'
import { hasKeyOf } from '../../messages/index.ts'
import type { Tx } from '../../store/database.ts'
import { placeholders } from '../../store/rows.ts'

/** Carriers say receipts again for so long. After that, they may use a reference again. */
const SAID_AGAIN_MS = 72 * HOUR_MS

/** A receipt that names a number. */
interface Named {
  carrier: string
  ref: string
  recipient: string
  at: EpochMs
}

/**
 * Whether a receipt is about a message that has ended: a repeat, or a receipt for another part. A single
 * reference has an index. References of long messages have none, so only messages of these wallets to the
 * receipt's number are read.
 */
export async function isOfEnded(tx: Tx, receipt: Named, walletIds: ReadonlySet<string>): Promise<boolean> {
  const { carrier, ref, recipient, at } = receipt
  const since = epochMs(at - SAID_AGAIN_MS)
  const refs = spellingsOf(ref)
  const ended = await tx.run(
    `SELECT id FROM messages WHERE carrier_ref IN ${placeholders(1, refs.length, undefined, 2)} AND carrier_ref <> ''
       AND carrier = $1 AND effected_at >= $2 LIMIT 1`,
    [carrier, since, ...refs],
  )
  if (ended.length > 0) return true
  const meant = new Set(foldsOf(ref))
  const { messages } = tx.t
  for (const walletId of walletIds) {
    const sent = await tx.db
      .select({ carrierRef: messages.carrierRef })
      .from(messages)
      .where(
        and(
          hasKeyOf(tx, walletId, phoneOf(recipient)),
          eq(messages.carrier, carrier),
          gte(messages.createdAt, since),
        ),
      )
    const parts = sent.flatMap(({ carrierRef }) => carrierRef?.split(' ') ?? [])
    if (parts.some((part) => meant.has(foldedRef(part)))) return true
  }
  return false
}
