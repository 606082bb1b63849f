import type { WorkParts } from '../../operator-work.ts'
import { createEraseAccount, type EraseOptions } from '../../privacy/index.ts'
import type { DeskParts } from '../parts.ts'

/** The erasures of this process: one of many messages takes longer than a browser waits. */
export interface Erasures {
  /** Begins one, unless it is running. Resolves when it is over, or after a while. */
  begin(work: WorkParts, accountId: string, options: EraseOptions): Promise<void>
  /** One that is running, or failed. */
  of(accountId: string): { failure: string | undefined } | undefined
}

const WAIT_MS = 2_000

export function createErasures({ onFault }: Pick<DeskParts, 'onFault'>): Erasures {
  const all = new Map<string, { failure: string | undefined; over: Promise<void> }>()

  return {
    async begin(work, accountId, options) {
      const before = all.get(accountId)
      const running = before && before.failure === undefined ? before : start(work, accountId, options)
      await Promise.race([running.over, new Promise((resolve) => setTimeout(resolve, WAIT_MS).unref())])
    },
    of(accountId) {
      const running = all.get(accountId)
      // Told once; then it can be begun again.
      if (running?.failure !== undefined) all.delete(accountId)
      return running
    },
  }

  function start(work: WorkParts, accountId: string, options: EraseOptions) {
    const running = { failure: undefined as string | undefined, over: Promise.resolve() }
    running.over = createEraseAccount(work)(accountId, options).then(
      () => void all.delete(accountId),
      (error: unknown) => {
        running.failure =
          'It was broken off, and may be begun again: what is deleted stays deleted. The log says why.'
        onFault(error)
      },
    )
    all.set(accountId, running)
    return running
  }
}
