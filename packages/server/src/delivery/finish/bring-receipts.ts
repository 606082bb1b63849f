import type { EpochMs, Ticket } from '../../domain/ids.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Database, Tx } from '../../platform/database/database.ts'
import { inChunks, placeholders } from '../../platform/database/rows.ts'
import type { CarrierVerdict } from '../carrier.ts'
import { createEndMessages } from './end-messages.ts'
import { createTakeReceipts } from './receipts.ts'
import { findRefs } from './refs.ts'

export interface BringReceiptsOptions {
  /** Where receipts came that know no message. */
  from: Database
  /** Where their messages may be. */
  to: Database
  clock: Clock
  newId(now: EpochMs): Ticket
  /** What a carrier's references are kept under there. */
  carrierThere(carrier: string): string
}

/** Takes receipts to messages that have gone elsewhere. Returns how many found theirs. */
export type BringReceipts = () => Promise<number>

interface Waiting {
  carrier: string
  ref: string
  verdict: CarrierVerdict
  reason: string | null
  at: number
}

const SLICE = 500

export function createBringReceipts({
  from,
  to,
  clock,
  newId,
  carrierThere,
}: BringReceiptsOptions): BringReceipts {
  const endMessages = createEndMessages({ database: to, clock, newId, onFinal() {} })

  return async function bringReceipts() {
    let brought = 0
    let after = ['', '']
    for (;;) {
      const waiting = await from.read((tx) => waitingAfter(tx, after))
      for (const [carrier, receipts] of Map.groupBy(waiting, (receipt) => receipt.carrier))
        brought += await bring(carrier, receipts)
      const last = waiting.at(-1)
      if (!last || waiting.length < SLICE) return brought
      after = [last.carrier, last.ref]
    }
  }

  async function bring(carrier: string, waiting: readonly Waiting[]): Promise<number> {
    const name = carrierThere(carrier)
    const known = await to.read((tx) =>
      findRefs(
        tx,
        name,
        waiting.map(({ ref }) => ref),
      ),
    )
    const found = waiting.filter(({ ref }) => known.has(ref))
    if (found.length === 0) return 0
    const { takeReceipts, end } = createTakeReceipts({
      ...{ database: to, clock, carrier: { name, receipts: 'each' }, endMessages, gatherMs: 0 },
      onFault(error) {
        throw error
      },
    })
    await takeReceipts(
      found.map(({ ref, verdict, reason }) => ({ ref, verdict, ...(reason !== null && { reason }) })),
    )
    await end()
    // Only now: a receipt that is brought twice is a late one, and one that is lost would be lost for good.
    await from.write((tx) => forgetWaiting(tx, found))
    return found.length
  }
}

/** Receipts that came before their reference, or belong to no message here. */
function waitingAfter({ run }: Tx, after: readonly string[]): Promise<Waiting[]> {
  return run<Waiting>(
    `SELECT carrier, ref, verdict, reason, at FROM carrier_refs
     WHERE message_id IS NULL AND verdict IS NOT NULL AND (carrier, ref) > ($1, $2) ORDER BY carrier, ref LIMIT ${SLICE}`,
    after,
  )
}

async function forgetWaiting({ run }: Tx, found: readonly Waiting[]): Promise<void> {
  await inChunks(found, async (chunk) => {
    await run(
      `DELETE FROM carrier_refs WHERE message_id IS NULL AND (carrier, ref) IN (VALUES ${placeholders(chunk.length, 2)})`,
      chunk.flatMap(({ carrier, ref }) => [carrier, ref]),
    )
  })
}
