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
  work(): Promise<void>
  reject(error: unknown): void
  settle(): void
}

/**
 * Commits all waiting work with one flush to disk. Each piece has a separate savepoint, so that a failing one is undone
 * without affecting the others. Patient work waits up to `patienceMs` to share a flush.
 */
export function createCommitQueue(steps: TransactionSteps, patienceMs: number) {
  let waiting: Waiting[] = []
  let running: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined

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

  /** All waiting work, including what arrived while the transaction began. */
  function take(): readonly Waiting[] {
    const batch = waiting
    waiting = []
    clearTimeout(timer)
    timer = undefined
    return batch
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
    for (const { settle } of done) settle()
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
    add<T>(work: () => Promise<T>, patient: boolean): Promise<T> {
      return new Promise<T>((resolve, reject) => {
        let settle = () => {}
        waiting.push({
          reject,
          settle: () => settle(),
          async work() {
            const result = await work()
            settle = () => resolve(result)
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
