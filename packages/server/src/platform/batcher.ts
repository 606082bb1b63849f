import { StoreUnavailable } from './database/database.ts'

/** The result of one item of a batch. A value may be a pending promise: one slow item then does not delay the rest. */
export type Outcome<R> = { value: R | Promise<R> } | { error: unknown }

export interface BatcherOptions<T, R> {
  /** Runs a whole batch. Returns one outcome per item, in order. A rejection fails every item of the batch. */
  run(items: readonly T[]): Promise<Outcome<R>[]>
  /** The weight of an item, counted against `maxWeight`. */
  weigh(item: T): number
  maxWeight: number
  /** How many batches run at a time. Default: 1. */
  atOnce?: number
  /** How long items gather for a batch. Default: for as long as each turn of the event loop brings more. */
  gatherMs?: number
  /** Items beyond this waiting weight are rejected with this error. */
  maxWaiting: { weight: number; error(): Error }
}

/** Limits how long the first items wait while more keep arriving. */
const MOST_TURNS = 8

interface Waiting<T, R> {
  item: T
  weight: number
  resolve(value: R | Promise<R>): void
  reject(error: unknown): void
}

/**
 * Collects items that arrive together and runs them as one batch. The next batch gathers while one runs, so batches
 * grow with the load.
 */
export function createBatcher<T, R>(options: BatcherOptions<T, R>): (item: T) => Promise<R> {
  const { run, weigh, maxWeight, atOnce = 1, gatherMs = 0, maxWaiting } = options
  let waiting: Waiting<T, R>[] = []
  let waitingWeight = 0
  let running = 0
  /** Ends the pause early, once there is enough for a full batch. */
  let enough = () => {}

  async function runAll(): Promise<void> {
    while (waiting.length > 0) {
      await (gatherMs > 0 ? rest() : gather())
      const batch = take()
      // Another runner took the waiting items.
      if (batch.length === 0) continue
      try {
        const outcomes = await run(batch.map(({ item }) => item))
        for (const [index, { resolve, reject }] of batch.entries()) {
          const outcome = outcomes[index]
          if (outcome && 'value' in outcome) resolve(outcome.value)
          else reject(outcome?.error)
        }
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    running--
  }

  async function rest(): Promise<void> {
    if (waitingWeight >= maxWeight) return
    await new Promise<void>((resolve) => {
      enough = resolve
      setTimeout(resolve, gatherMs)
    })
  }

  /** Waits while each turn of the event loop brings more items. Without load it does not wait. */
  async function gather(): Promise<void> {
    for (let turn = 0; turn < MOST_TURNS; turn++) {
      const before = waiting.length
      await new Promise(setImmediate)
      if (waiting.length === before) return
    }
  }

  function take(): Waiting<T, R>[] {
    let weight = 0
    let count = 0
    for (const next of waiting) {
      if (count > 0 && weight + next.weight > maxWeight) break
      weight += next.weight
      count++
    }
    waitingWeight -= weight
    const batch = waiting.slice(0, count)
    waiting = waiting.slice(count)
    return batch
  }

  return function add(item) {
    const weight = weigh(item)
    if (waitingWeight + weight > maxWaiting.weight && waiting.length > 0)
      return Promise.reject(maxWaiting.error())
    return new Promise((resolve, reject) => {
      waiting.push({ item, weight, resolve, reject })
      waitingWeight += weight
      if (waitingWeight >= maxWeight) enough()
      if (running >= atOnce) return
      running++
      setImmediate(runAll)
    })
  }
}

/** Runs a batch that stores something: halves one that fails until what cannot be stored is alone. */
export function storeHalving<T>(
  store: (items: readonly T[]) => Promise<void>,
): (items: readonly T[]) => Promise<Outcome<void>[]> {
  return async function storeEach(items: readonly T[]): Promise<Outcome<void>[]> {
    try {
      await store(items)
      return items.map(() => ({ value: undefined }))
    } catch (error) {
      if (items.length === 1 || error instanceof StoreUnavailable) return items.map(() => ({ error }))
      const middle = items.length >> 1
      return [...(await storeEach(items.slice(0, middle))), ...(await storeEach(items.slice(middle)))]
    }
  }
}
