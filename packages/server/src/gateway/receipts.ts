import { createBatcher, type Outcome } from './batcher.ts'
import { EndingsFailed, endingOf, type Finalize } from './finalize.ts'
import type { Receipt } from './ports.ts'

export interface TakeReceiptsOptions {
  finalize: Finalize
  /** When the carrier took a message, where that is not written down yet; otherwise now. */
  submittedAt(receipt: Receipt): number
  /** How long receipts gather, so that one commit takes many. */
  gatherMs: number
}

/** Larger ones would hold up sends of the same wallets for longer than they save. */
const MOST_TOGETHER = 256

/** Takes a carrier's receipts. Those that arrive together are committed together. */
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

/** Receipts whose neighbours failed were taken; any other failure is everyone's. */
function failedTickets(error: unknown): EndingsFailed {
  if (error instanceof EndingsFailed) return error
  throw error
}
