import { createBatcher, type Outcome } from './batcher.ts'
import { endingOf, type Finalize } from './finalize.ts'
import type { Receipt } from './ports.ts'

/** Takes a carrier's receipts. Those that arrive together are committed together. */
export function createTakeReceipts(finalize: Finalize): (receipts: readonly Receipt[]) => Promise<void> {
  return createBatcher<readonly Receipt[], void>({
    async run(groups) {
      await finalize(groups.flat().map(endingOf))
      return groups.map((): Outcome<void> => ({ value: undefined }))
    },
    weigh: (receipts) => receipts.length,
    maxWeight: 1_000,
    maxWaiting: { weight: 100_000, error: () => new Error('too many receipts wait to be taken') },
  })
}
