import { type EpochMs, epochMs } from '../domain/ids.ts'
import type { Tx } from '../platform/database/database.ts'
import { raiseSetting, readSetting } from '../platform/database/settings.ts'

/** Messages accepted before this time may have been deleted because of their age; 0 if none ever was. */
export async function keptSince(tx: Tx): Promise<EpochMs> {
  return epochMs(Number((await readSetting(tx, 'messages_kept_since')) ?? 0))
}

/** Stores that messages accepted before a time are about to be deleted. Call it before the first deletion. */
export function noteForgotten(tx: Tx, before: EpochMs): Promise<void> {
  return raiseSetting(tx, 'messages_kept_since', before)
}
