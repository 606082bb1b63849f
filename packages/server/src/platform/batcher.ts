import type { Backlog } from './backlog.ts'
import { halve } from './halve.ts'
import { createTurns } from './turns.ts'

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
  /** Keys take turns when more waits than a batch holds. Default: one key for all. */
  keyOf?(item: T): string
  /** Whether an item that is heavier than a batch runs beside the batches, one at a time; what else its key has waits. */
  heavyBeside?: boolean
  maxWaiting: MaxWaiting
  /** Counts items from when they come until their batch is done. */
  backlog?: Pick<Backlog, 'add'> | undefined
}

/** How much may wait. An item beyond it is rejected, unless it is the first. */
export interface MaxWaiting {
  /** Beyond this weight, keys that have less than an equal share of it may still add. */
  weight: number
  /** The most of one key. Default: all of the weight. */
  ofKey?: number
  error(): Error
}

/** Limits how long the first items wait while more keep arriving. */
const MOST_TURNS = 8

interface Waiting<T, R> {
  item: T
  resolve(value: R | Promise<R>): void
  reject(error: unknown): void
}

/**
 * Collects items that arrive together and runs them as one batch. The next batch gathers while one runs, so batches
 * grow with the load.
 */
export function createBatcher<T, R>(options: BatcherOptions<T, R>): (item: T) => Promise<R> {
  const {
    run,
    weigh,
    maxWeight,
    atOnce = 1,
    gatherMs = 0,
    keyOf = () => '',
    heavyBeside,
    maxWaiting,
    backlog,
  } = options
  const waiting = createTurns<Waiting<T, R>>()
  let running = 0
  /** The key of the heavy item that runs beside the batches. */
  let heavy: string | undefined
  /** Ends the pause early, once there is enough for a full batch. */
  let enough = () => {}

  async function runAll(): Promise<void> {
    while (waiting.keys() > 0) {
      await (gatherMs > 0 ? rest() : gather())
      const batch = waiting.take(maxWeight, heavy)
      const [first] = batch
      // Another runner took the waiting items, or they wait for the heavy one.
      if (!first) break
      if (heavyBeside && weigh(first.item) > maxWeight) void runHeavy(keyOf(first.item), batch)
      else await runBatch(batch)
    }
    running--
  }

  async function runHeavy(key: string, batch: readonly Waiting<T, R>[]): Promise<void> {
    heavy = key
    await runBatch(batch)
    heavy = undefined
    if (waiting.keys() > 0) start()
  }

  async function runBatch(batch: readonly Waiting<T, R>[]): Promise<void> {
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
    backlog?.add(-batch.reduce((sum, { item }) => sum + weigh(item), 0))
  }

  function start(): void {
    if (running >= atOnce) return
    running++
    setImmediate(runAll)
  }

  async function rest(): Promise<void> {
    if (waiting.weight() >= maxWeight) return
    await new Promise<void>((resolve) => {
      enough = resolve
      setTimeout(resolve, gatherMs)
    })
  }

  /** Waits while each turn of the event loop brings more items. Without load it does not wait. */
  async function gather(): Promise<void> {
    for (let turn = 0; turn < MOST_TURNS; turn++) {
      const before = waiting.weight()
      await new Promise(setImmediate)
      if (waiting.weight() === before) return
    }
  }

  function isTooMuch(key: string, weight: number): boolean {
    if (waiting.keys() === 0) return false
    const ofKey = waiting.weight(key)
    if (ofKey > 0 && ofKey + weight > (maxWaiting.ofKey ?? maxWaiting.weight)) return true
    const keys = waiting.keys() + (ofKey > 0 ? 0 : 1)
    return waiting.weight() + weight > maxWaiting.weight && ofKey + weight > maxWaiting.weight / keys
  }

  return function add(item) {
    const weight = weigh(item)
    const key = keyOf(item)
    if (isTooMuch(key, weight)) return Promise.reject(maxWaiting.error())
    return new Promise((resolve, reject) => {
      waiting.put(key, { item, resolve, reject }, weight)
      backlog?.add(weight)
      if (waiting.weight() >= maxWeight) enough()
      start()
    })
  }
}

/** Runs a batch that stores something: halves one that fails until what cannot be stored is alone. */
export function storeHalving<T>(
  store: (items: readonly T[]) => Promise<void>,
): (items: readonly T[]) => Promise<Outcome<void>[]> {
  return async function storeEach(items) {
    const outcomes = new Map<T, Outcome<void>>()
    await halve(items, {
      run: store,
      fail(some, error) {
        for (const item of some) outcomes.set(item, { error })
      },
    })
    return items.map((item) => outcomes.get(item) ?? { value: undefined })
  }
}
