/** How one item of a batch came out. A value may still be on its way: its item then holds up none of the batch. */
export type Outcome<R> = { value: R | Promise<R> } | { error: unknown }

export interface BatcherOptions<T, R> {
  /** Does a whole batch; one outcome per item, in order. A rejection fails every item of the batch. */
  run(items: readonly T[]): Promise<Outcome<R>[]>
  /** How much of a batch an item takes up. */
  weigh(item: T): number
  maxWeight: number
  /** Items that wait beyond this are turned away with this error. */
  maxWaiting: { weight: number; error(): Error }
}

/** However much goes on arriving, those who came first are not kept waiting for it. */
const MOST_TURNS = 8

interface Waiting<T, R> {
  item: T
  weight: number
  resolve(value: R | Promise<R>): void
  reject(error: unknown): void
}

/**
 * Collects items that arrive together and does them as one batch. While a batch runs the next one gathers, so
 * the busier it is the larger the batches get; there is no artificial delay.
 */
export function createBatcher<T, R>(options: BatcherOptions<T, R>): (item: T) => Promise<R> {
  const { run, weigh, maxWeight, maxWaiting } = options
  let waiting: Waiting<T, R>[] = []
  let waitingWeight = 0
  let running = false

  async function runAll(): Promise<void> {
    while (waiting.length > 0) {
      await gather()
      const batch = take()
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
    running = false
  }

  /** Waits as long as each turn of the event loop brings more, which without load is not at all. */
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
      if (running) return
      running = true
      setImmediate(runAll)
    })
  }
}
