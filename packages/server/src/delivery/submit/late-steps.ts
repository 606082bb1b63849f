import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/database/database.ts'
import { type NextStep, reschedule } from '../../platform/jobs/outbox.ts'

export interface LateStepsOptions {
  database: Database
  clock: Clock
  /** Called when messages wait for their receipts. */
  wake(): void
  onFault(error: unknown): void
}

/**
 * The `await` steps of messages that the carrier has just taken. Most receipts come within a second and make the step
 * needless, so it is stored only after that. Until then the claim is kept: if the process dies, the claim lapses and
 * the carrier is asked. So this works only with carriers that can be asked.
 */
export interface LateSteps {
  add(steps: readonly NextStep[]): void
  /** When the carrier took a message, if its step is not stored yet. */
  submittedAt(id: string): number | undefined
  /** Drops the steps of messages that became final. */
  forget(ids: readonly string[]): void
  /** Stores all remaining steps. */
  flush(): Promise<void>
  /** Stores all remaining steps, and nothing more. The claims of those that can't be stored lapse. */
  stop(): Promise<void>
}

/** A step is stored when it is between this and twice this old. */
const LATE_MS = 1_000

export function createLateSteps({ database, clock, wake, onFault }: LateStepsOptions): LateSteps {
  let old = new Map<string, NextStep>()
  let young = new Map<string, NextStep>()
  let cancel: (() => void) | undefined
  let stopped = false

  function tick(): void {
    cancel = undefined
    const due = old
    old = young
    young = new Map()
    write(due).catch(onFault)
    watch()
  }

  function watch(): void {
    if (!stopped && old.size + young.size > 0) cancel ??= clock.after(LATE_MS, tick)
  }

  async function write(steps: ReadonlyMap<string, NextStep>): Promise<void> {
    if (steps.size === 0) return
    try {
      await database.write((tx) => reschedule(tx, [...steps.values()]), { patient: true })
    } catch (error) {
      for (const [id, step] of steps) old.set(id, step)
      watch()
      throw error
    }
    wake()
  }

  async function flush(): Promise<void> {
    cancel?.()
    cancel = undefined
    const due = new Map([...old, ...young])
    old = new Map()
    young = new Map()
    await write(due)
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
    flush,
    stop() {
      stopped = true
      return flush()
    },
  }
}
