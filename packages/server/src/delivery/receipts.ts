import { createBatcher, type Outcome } from '../platform/batcher.ts'
import type { Receipt } from './carrier.ts'
import { EndingsFailed, endingOf, type Finalize } from './finalize.ts'

export interface TakeReceiptsOptions {
  finalize: Finalize
  /** When the carrier took a message, if that is not stored yet; otherwise now. */
  submittedAt(receipt: Receipt): number
  /** How long to gather receipts for one commit. */
  gatherMs: number
}

/** Larger batches would delay sends of the same wallets by more than they save. */
const MOST_TOGETHER = 256

/** Settles a carrier's receipts. Those that arrive together are committed together. */
export function createTakeReceipts({
  finalize,
  submittedAt,
  gatherMs,
}: TakeReceiptsOptions): (receipts: readonly Receipt[]) => Promise<void> {
  return createBatcher<readonly Receipt[], void>({
    async run(groups) {
      const endings = groups.flat().map((receipt) => endingOf(receipt, submittedAt(receipt)))
      const failed = await finalize(endings).catch(failedTickets)
      return groups.map((group): Outcome<void> => {
        const error = failed && group.some(({ ticket }) => failed.tickets.has(ticket)) ? failed : undefined
        return error ? { error } : { value: undefined }
      })
    },
    weigh: (receipts) => receipts.length,
    maxWeight: MOST_TOGETHER,
    gatherMs,
    maxWaiting: { weight: 100_000, error: () => new Error('too many receipts wait to be taken') },
  })
}

/** With `EndingsFailed`, only the receipts that it names failed; with any other error, all of them did. */
function failedTickets(error: unknown): EndingsFailed {
  if (error instanceof EndingsFailed) return error
  throw error
}
