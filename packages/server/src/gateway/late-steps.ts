import type { Clock } from '../clock.ts'
import type { Database } from '../store/database.ts'
import { type NextStep, reschedule } from '../store/outbox.ts'

export interface LateStepsOptions {
  database: Database
  clock: Clock
  /** Says that messages wait for their receipts. */
  wake(): void
  onFault(error: unknown): void
}

/**
 * The next steps of messages that a carrier has just taken: to wait for a receipt. Most receipts come within a second,
 * and make the step needless, so it is written down only after that. Until then the claim holds: should the process
 * die, it ends, and the carrier is asked. So this is only for carriers that can be asked.
 */
export interface LateSteps {
  add(steps: readonly NextStep[]): void
  /** When the carrier took a message, if its step is not written down yet. */
  submittedAt(id: string): number | undefined
  /** Forgets messages that became final. */
  forget(ids: readonly string[]): void
  /** Writes down all that is left. */
  flush(): Promise<void>
}

/** A step is written down when it is between once and twice as old. */
const LATE_MS = 1_000

export function createLateSteps({ database, clock, wake, onFault }: LateStepsOptions): LateSteps {
  let old = new Map<string, NextStep>()
  let young = new Map<string, NextStep>()
  let cancel: (() => void) | undefined

  function tick(): void {
    cancel = undefined
    const due = old
    old = young
    young = new Map()
    write(due).catch(onFault)
    watch()
  }

  function watch(): void {
    if (old.size + young.size > 0) cancel ??= clock.after(LATE_MS, tick)
  }

  async function write(steps: ReadonlyMap<string, NextStep>): Promise<void> {
    if (steps.size === 0) return
    try {
      await database.write((connection) => reschedule(connection, [...steps.values()]), { patient: true })
    } catch (error) {
      for (const [id, step] of steps) old.set(id, step)
      watch()
      throw error
    }
    wake()
  }

  return {
    add(steps) {
      for (const step of steps) young.set(step.id, step)
      watch()
    },
    submittedAt: (id) => (young.get(id) ?? old.get(id))?.submittedAt,
    forget(ids) {
      for (const id of ids) if (!young.delete(id)) old.delete(id)
    },
    async flush() {
      cancel?.()
      cancel = undefined
      const due = new Map([...old, ...young])
      old = new Map()
      young = new Map()
      await write(due)
    },
  }
}
