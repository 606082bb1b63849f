import { type EpochMs, epochMs, firstTicketAt } from '../../domain/ids.ts'
import type { Tx } from '../../platform/database/database.ts'

/** Who paused a carrier, and why. */
export interface CarrierPause {
  actor: string
  reason: string | undefined
}

/** The entry of a pause is written in its transaction, a moment after the pause was dated. */
const WRITTEN_WITHIN_MS = 10_000

/** What the audit log says of a pause; undefined where it does not go back so far. */
export async function pauseOf({ run }: Tx, carrier: string, at: EpochMs): Promise<CarrierPause | undefined> {
  const rows = await run<{ actor: string; detail: string }>(
    `SELECT actor, detail FROM audit WHERE id >= $1 AND id < $2 AND action = 'carrier.pause' ORDER BY id`,
    [firstTicketAt(at), firstTicketAt(epochMs(at + WRITTEN_WITHIN_MS))],
  )
  for (const { actor, detail } of rows) {
    const { carrier: named, reason } = JSON.parse(detail) as { carrier?: string; reason?: string }
    if (named === carrier) return { actor, reason }
  }
  return undefined
}
