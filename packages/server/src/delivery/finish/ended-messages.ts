import { and, eq, gte } from 'drizzle-orm'
import { foldedRef, foldsOf, spellingsOf } from '../../domain/carrier-reference.ts'
import { type EpochMs, epochMs } from '../../domain/ids.ts'
import { phoneOf } from '../../domain/phone/phone.ts'
import { hasKeyOf } from '../../messages/index.ts'
import type { Tx } from '../../platform/database/database.ts'
import { placeholders } from '../../platform/database/rows.ts'

/** Carriers say receipts again for so long. After that, they may use a reference again. */
const SAID_AGAIN_MS = 72 * 3_600_000

/** A receipt that names a number. */
interface Named {
  carrier: string
  ref: string
  recipient: string
  at: EpochMs
}

/**
 * Whether a receipt is of a message that has ended: said again, or of another part of a long one. The references of such
 * a message are kept with it alone. A single part is found by its reference. Those of a long one have no index, so only
 * what these wallets sent to the number of the receipt is looked at.
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
