/** How a single writer begins, marks, and ends. */
export interface TransactionSteps {
  /** May take its time, while another process writes. */
  begin(): void | Promise<void>
  commit(): void
  rollback(): void
  /** Marks a place to go back to, goes back to it, or forgets it. */
  savepoint(): void
  rollbackToSavepoint(): void
  release(): void
  /** False when the engine has given the whole transaction up by itself, as it does when the disk is full. */
  open(): boolean
}

interface Waiting {
  work(): Promise<void>
  reject(error: unknown): void
  settle(): void
}

/**
 * One flush of the disk for all the work that waits, each piece under a savepoint of its own, so that one that
 * fails leaves no trace and harms no other. Patient work does not ask for a flush of its own at once: it rides
 * along with the next one, or gets it after a moment.
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

  /** All that waits by now, with what came while the transaction began. */
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
        // What undoes it undoes the whole transaction, so it needs no mark to go back to.
        await only.work()
        done.push(only)
      } else for (const item of batch) if (await runOne(item)) done.push(item)
      steps.commit()
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
    /** Resolves when nothing waits any more. */
    async drained(): Promise<void> {
      if (waiting.length > 0) start()
      await running
    },
  }
}
