import { randomUUID } from 'node:crypto'
import type { SettledMany } from '../../delivery/index.ts'
import type { DeskParts } from '../parts.ts'

/** Decisions about many messages, in this process: thousands take longer than a browser waits. */
export interface Decisions {
  /** Begins, and resolves with a name for it when it is over, or after a while. */
  begin(total: number, work: (onDone: () => void) => Promise<SettledMany>): Promise<string>
  /** Undefined when this process knows nothing of it. */
  of(run: string): Run | undefined
}

export interface Run {
  total: number
  done: number
  /** Undefined until it is over. */
  result: SettledMany | undefined
  hasFailed: boolean
}

const WAIT_MS = 2_000
/** The oldest are forgotten: what they did is in the audit log. */
const MOST_KEPT = 50

export function createDecisions({ onFault }: Pick<DeskParts, 'onFault'>): Decisions {
  const all = new Map<string, Run>()

  return {
    async begin(total, work) {
      const run: Run = { total, done: 0, result: undefined, hasFailed: false }
      const name = randomUUID()
      all.set(name, run)
      for (const old of [...all.keys()].slice(0, -MOST_KEPT)) all.delete(old)
      const over = work(() => run.done++).then(
        (result) => {
          run.result = result
        },
        (error: unknown) => {
          run.hasFailed = true
          onFault(error)
        },
      )
      await Promise.race([over, new Promise((resolve) => setTimeout(resolve, WAIT_MS).unref())])
      return name
    },
    of: (run) => all.get(run),
  }
}
