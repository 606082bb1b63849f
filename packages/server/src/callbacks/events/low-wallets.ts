import type { Parts } from '../../flow/parts.ts'
import { isMarkStale, markLow } from '../../money/index.ts'
import { insertLowWalletEvents } from './rows.ts'

/**
 * Looks for wallets that went below their threshold, and marks them. The mark and the event are one transaction, so each
 * crossing has one event, however many gateways look and wherever one is killed. Resolves to how many events wait to be
 * posted.
 */
export async function tellLowWallets(
  { database, clock, newId }: Pick<Parts, 'database' | 'clock' | 'newId'>,
  /** Whether there is a webhook to tell. Without it wallets are only marked. */
  tells: boolean,
): Promise<number> {
  if (!(await database.read(isMarkStale))) return 0
  const now = clock.now()
  return database.write(
    async (tx) => {
      const low = await markLow(tx, now)
      const rows = tells ? low.map((wallet) => ({ ...wallet, id: newId(now), createdAt: now })) : []
      await insertLowWalletEvents(tx, rows)
      return rows.length
    },
    { patient: true },
  )
}
