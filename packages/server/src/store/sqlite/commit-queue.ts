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

/**
 * Commits all waiting work with one flush to disk. Each piece has a separate savepoint, so that a failing one is undone
 * without affecting the others. Patient work waits up to `patienceMs` to share a flush.
 */
export class CommitQueue {
  readonly #steps: TransactionSteps
  readonly #patienceMs: number
  #waiting: Waiting[] = []
  #running: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined
  /** Whether the last transaction was of work that is alone in its own. */
  #wasAlone = false

  constructor(steps: TransactionSteps, patienceMs: number) {
    this.#steps = steps
    this.#patienceMs = patienceMs
  }

  add<T>(
    work: () => Promise<T>,
    { patient = false, alone = false }: Pick<WriteOptions, 'patient' | 'alone'> = {},
  ): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      let finish = () => {}
      this.#waiting.push({
        alone,
        reject,
        resolve: () => finish(),
        async work() {
          const result = await work()
          finish = () => resolve(result)
        },
      })
      if (!patient || this.#patienceMs === 0) this.#start()
      else if (!this.#running) this.#timer ??= setTimeout(() => this.#start(), this.#patienceMs)
    })
  }

  /** Resolves when no work is waiting. */
  async drained(): Promise<void> {
    if (this.#waiting.length > 0) this.#start()
    await this.#running
  }

  #start(): void {
    this.#running ??= Promise.resolve().then(() => this.#runAll())
  }

  async #runAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      try {
        await this.#steps.begin()
      } catch (error) {
        for (const { reject } of this.#take()) reject(error)
        continue
      }
      await this.#runTogether(this.#take())
    }
    this.#running = undefined
  }

  /**
   * Takes the waiting work, including work that arrived while the transaction began. Work that needs a
   * transaction alone takes turns with all the rest.
   */
  #take(): readonly Waiting[] {
    const long = this.#waiting.find(({ alone }) => alone)
    const short = this.#waiting.filter(({ alone }) => !alone)
    this.#wasAlone = long !== undefined && (short.length === 0 || !this.#wasAlone)
    this.#waiting = this.#waiting.filter((each) => (this.#wasAlone ? each !== long : each.alone))
    clearTimeout(this.#timer)
    this.#timer = undefined
    return long && this.#wasAlone ? [long] : short
  }

  async #runTogether(batch: readonly Waiting[]): Promise<void> {
    const steps = this.#steps
    const done: Waiting[] = []
    try {
      const [only] = batch
      if (only && batch.length === 1) {
        // A single piece needs no savepoint: undoing it rolls back the whole transaction.
        await only.work()
        done.push(only)
      } else for (const item of batch) if (await this.#runOne(item)) done.push(item)
      await steps.commit()
    } catch (error) {
      if (steps.open()) steps.rollback()
      for (const { reject } of batch) reject(error)
      return
    }
    for (const { resolve } of done) resolve()
  }

  async #runOne(item: Waiting): Promise<boolean> {
    const steps = this.#steps
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
}
