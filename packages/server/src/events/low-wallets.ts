import type { EpochMs } from '../domain/ids.ts'
import { isMarkStale, markLow } from '../money/index.ts'
import type { Clock } from '../platform/clock.ts'
import type { Database } from '../platform/database/database.ts'
import { insertLowWallets } from './rows.ts'

export interface LowWalletsOptions {
  database: Database
  clock: Clock
  /** How often to look, so that sends need not. */
  everyMs: number
  newId(now: EpochMs): string
  /** Whether there is a webhook to tell. Without it wallets are only marked. */
  tells: boolean
  /** Called after a commit when events wait to be posted. */
  onEvents(): void
  onFault(error: unknown): void
}

export interface LowWallets {
  start(): void
  /** Whether it waits for its next poll, or has been stopped. */
  idle(): boolean
  /** Resolves when the poll under way is done. */
  stop(): Promise<void>
}

/**
 * Looks for wallets that went below their threshold. The mark and the event are one transaction, so each crossing has
 * one event, however many gateways poll and wherever one is killed.
 */
export function createLowWallets(options: LowWalletsOptions): LowWallets {
  const { database, clock, everyMs, newId, tells, onEvents, onFault } = options
  let stopped = true
  let polling: Promise<void> | undefined
  let cancel = () => {}

  async function poll(): Promise<void> {
    if (!(await database.read(isMarkStale))) return
    const now = clock.now()
    const events = await database.write(
      async (tx) => {
        const low = await markLow(tx, now)
        const rows = tells ? low.map((wallet) => ({ ...wallet, id: newId(now), createdAt: now })) : []
        await insertLowWallets(tx, rows)
        return rows.length
      },
      { patient: true },
    )
    if (events > 0) onEvents()
  }

  function pollLater(): void {
    cancel = clock.after(everyMs, () => {
      polling = poll()
        .catch(onFault)
        .finally(() => {
          polling = undefined
          if (!stopped) pollLater()
        })
    })
  }

  return {
    start() {
      stopped = false
      pollLater()
    },
    idle: () => polling === undefined,
    async stop() {
      stopped = true
      cancel()
      await polling
    },
  }
}
