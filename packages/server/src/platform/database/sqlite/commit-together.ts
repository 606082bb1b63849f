import type { WriteOptions } from '../database.ts'

/** The transaction steps of a single writer. */
export interface TransactionSteps {
  /** May take a while when another process is writing. */
  begin(): void | Promise<void>
  commit(): void | Promise<void>
  rollback(): void
  /** Sets, rolls back to, or releases the savepoint. */
  savepoint(): void
  rollbackToSavepoint(): void
  release(): void
  /** False when the engine has rolled back the whole transaction, for example because the disk is full. */
  open(): boolean
}

interface Waiting {
  alone: boolean
  work(): Promise<void>
  reject(error: unknown): void
  resolve(): void
}

type Sharing = Pick<WriteOptions, 'patient' | 'alone'>

/**
 * Commits all waiting work with one flush to disk. Each piece has a separate savepoint, so that a failing one is undone
 * without affecting the others. Patient work waits up to `patienceMs` to share a flush.
 */
export function createCommitQueue(steps: TransactionSteps, patienceMs: number) {
  let waiting: Waiting[] = []
  let running: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined
  /** Whether the last transaction was of work that is alone in its own. */
  let wasAlone = false

  async function runAll(): Promise<void> {
    while (waiting.length > 0) {
      try {
        await steps.begin()
      } catch (error) {
        for (const { reject } of take()) reject(error)
        continue
      }
      await runTogether(take())
    }
    running = undefined
  }

  /**
   * The waiting work, including what arrived while the transaction began. What is alone in its transaction takes turns
   * with all the rest.
   */
  function take(): readonly Waiting[] {
    const long = waiting.find(({ alone }) => alone)
    const short = waiting.filter(({ alone }) => !alone)
    wasAlone = long !== undefined && (short.length === 0 || !wasAlone)
    waiting = waiting.filter((each) => (wasAlone ? each !== long : each.alone))
    clearTimeout(timer)
    timer = undefined
    return long && wasAlone ? [long] : short
  }

  async function runTogether(batch: readonly Waiting[]): Promise<void> {
    const done: Waiting[] = []
    try {
      const [only] = batch
      if (only && batch.length === 1) {
        // A single piece needs no savepoint: undoing it rolls back the whole transaction.
        await only.work()
        done.push(only)
      } else for (const item of batch) if (await runOne(item)) done.push(item)
      await steps.commit()
    } catch (error) {
      if (steps.open()) steps.rollback()
      for (const { reject } of batch) reject(error)
      return
    }
    for (const { resolve } of done) resolve()
  }

  async function runOne(item: Waiting): Promise<boolean> {
    steps.savepoint()
    try {
      await item.work()
      steps.release()
      return true
    } catch (error) {
      if (!steps.open()) throw error
      steps.rollbackToSavepoint()
      steps.release()
      item.reject(error)
      return false
    }
  }

  function start(): void {
    running ??= Promise.resolve().then(runAll)
  }

  return {
    add<T>(work: () => Promise<T>, { patient = false, alone = false }: Sharing = {}): Promise<T> {
      return new Promise<T>((resolve, reject) => {
        let finish = () => {}
        waiting.push({
          alone,
          reject,
          resolve: () => finish(),
          async work() {
            const result = await work()
            finish = () => resolve(result)
          },
        })
        if (!patient || patienceMs === 0) start()
        else if (!running) timer ??= setTimeout(start, patienceMs)
      })
    },
    /** Resolves when no work is waiting. */
    async drained(): Promise<void> {
      if (waiting.length > 0) start()
      await running
    },
  }
}
