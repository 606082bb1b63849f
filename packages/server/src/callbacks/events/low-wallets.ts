import type { Parts } from '../../flow/parts.ts'
import { isMarkStale, markLow } from '../../money/index.ts'
import { insertLowWalletEvents } from './rows.ts'

/**
 * Looks for wallets that went below their threshold. The mark and the event are one transaction, so each crossing has
 * one event, however many gateways poll and wherever one is killed.
 */
export class LowWallets {
  readonly #parts: Pick<Parts, 'database' | 'clock' | 'newId'>
  readonly #own: Own
  #stopped = true
  #polling: Promise<void> | undefined
  #cancel = () => {}

  constructor(parts: Pick<Parts, 'database' | 'clock' | 'newId'>, own: Own) {
    this.#parts = parts
    this.#own = own
  }

  start(): void {
    this.#stopped = false
    this.#pollLater()
  }

  /** Whether it waits for its next poll, or has been stopped. */
  idle(): boolean {
    return this.#polling === undefined
  }

  /** Resolves when the poll under way is done. */
  async stop(): Promise<void> {
    this.#stopped = true
    this.#cancel()
    await this.#polling
  }

  #pollLater(): void {
    this.#cancel = this.#parts.clock.after(this.#own.everyMs, () => {
      this.#polling = this.#poll()
        .catch(this.#own.onFault)
        .finally(() => {
          this.#polling = undefined
          if (!this.#stopped) this.#pollLater()
        })
    })
  }

  async #poll(): Promise<void> {
    const { database, clock, newId } = this.#parts
    if (!(await database.read(isMarkStale))) return
    const now = clock.now()
    const events = await database.write(
      async (tx) => {
        const low = await markLow(tx, now)
        const rows = this.#own.tells
          ? low.map((wallet) => ({ ...wallet, id: newId(now), createdAt: now }))
          : []
        await insertLowWalletEvents(tx, rows)
        return rows.length
      },
      { patient: true },
    )
    if (events > 0) this.#own.onEvents()
  }
}

interface Own {
  /** How often to look, so that sends need not. */
  everyMs: number
  /** Whether there is a webhook to tell. Without it wallets are only marked. */
  tells: boolean
  /** Called after a commit when events wait to be posted. */
  onEvents(): void
  onFault(error: unknown): void
}
