/** How one item of a batch came out. A value may still be on its way: its item then holds up none of the batch. */
export type Outcome<R> = { value: R | Promise<R> } | { error: unknown }

export interface BatcherOptions<T, R> {
  /** Does a whole batch; one outcome per item, in order. A rejection fails every item of the batch. */
  run(items: readonly T[]): Promise<Outcome<R>[]>
  /** How much of a batch an item takes up. */
  weigh(item: T): number
  maxWeight: number
  /** How many batches run at a time; one when left out. */
  atOnce?: number
  /** How long items gather for a batch; when left out, as long as each turn of the event loop brings more. */
  gatherMs?: number
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
 * Collects items that arrive together and does them as one batch. While a batch runs the next one gathers, so the
 * busier it is the larger the batches get.
 */
export function createBatcher<T, R>(options: BatcherOptions<T, R>): (item: T) => Promise<R> {
  const { run, weigh, maxWeight, atOnce = 1, gatherMs = 0, maxWaiting } = options
  let waiting: Waiting<T, R>[] = []
  let waitingWeight = 0
  let running = 0
  /** Ends a pause early, when there is enough for a whole batch. */
  let enough = () => {}

  async function runAll(): Promise<void> {
    while (waiting.length > 0) {
      await (gatherMs > 0 ? rest() : gather())
      const batch = take()
      // Another runner has taken what was waiting.
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
      if (waitingWeight >= maxWeight) enough()
      if (running >= atOnce) return
      running++
      setImmediate(runAll)
    })
  }
}
