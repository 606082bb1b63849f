import { createBatcher, type Outcome } from './batcher.ts'
import { EndingsFailed, endingOf, type Finalize } from './finalize.ts'
import type { Receipt } from './ports.ts'

/** Takes a carrier's receipts. Those that arrive together are committed together. */
export function createTakeReceipts(finalize: Finalize): (receipts: readonly Receipt[]) => Promise<void> {
  return createBatcher<readonly Receipt[], void>({
    async run(groups) {
      const failed = await finalize(groups.flat().map(endingOf)).catch(failedTickets)
      return groups.map((group): Outcome<void> => {
        const error = failed && group.some(({ ticket }) => failed.tickets.has(ticket)) ? failed : undefined
        return error ? { error } : { value: undefined }
      })
    },
    weigh: (receipts) => receipts.length,
    maxWeight: 1_000,
    maxWaiting: { weight: 100_000, error: () => new Error('too many receipts wait to be taken') },
  })
}

/** Receipts whose neighbours failed were taken; any other failure is everyone's. */
function failedTickets(error: unknown): EndingsFailed {
  if (error instanceof EndingsFailed) return error
  throw error
}
