import { StoreUnavailable } from '../store/database.ts'
import type { Backlog } from './backlog.ts'
import { OwnerTurns } from './owner-turns.ts'

/** The result of one item of a batch. A value may be a pending promise: one slow item then does not delay the rest. */
export type Outcome<R> = { value: R | Promise<R> } | { error: unknown }

/** How items become batches. */
export interface Batching<T, R> {
  /** Runs a whole batch. Returns one outcome per item, in order. A rejection fails every item of the batch. */
  run(items: readonly T[]): Promise<Outcome<R>[]>
  /** The weight of an item, counted against `maxWeight`. */
  weigh(item: T): number
  maxWeight: number
  /** How many batches run at a time. Default: 1. */
  atOnce?: number
  /** How long items gather for a batch. Default: for as long as each turn of the event loop brings more. */
  gatherMs?: number
  /** Owners take turns when more waits than a batch holds. Default: one owner for all. */
  ownerOf?(item: T): string
  /** Whether an item heavier than a batch runs beside the batches, one at a time. Its owner's other items wait. */
  heavyBeside?: boolean
  /** How much may wait. An item beyond it is rejected, unless it is the first. */
  maxWaiting: {
    /** Beyond this weight, owners that have less than an equal share of it may still add. */
    weight: number
    /** The most of one owner. Default: all of the weight. */
    ofOwner?: number
    error(): Error
  }
  /** Counts items from when they come until their batch is done. */
  backlog?: Pick<Backlog, 'add'> | undefined
}

interface Entry<T, R> {
  item: T
  resolve(value: R | Promise<R>): void
  reject(error: unknown): void
}

/** Limits how long the first items wait while more keep arriving. */
const MOST_TURNS = 8

/** Runs items that arrive together as one batch. The next batch gathers meanwhile, so batches grow with the load. */
export class Batch<T, R> {
  readonly #how: Batching<T, R>
  readonly #atOnce: number
  readonly #gatherMs: number
  readonly #ownerOf: (item: T) => string
  readonly #turns = new OwnerTurns<Entry<T, R>>()
  #running = 0
  /** The owner of the heavy item that runs beside the batches. */
  #heavy: string | undefined
  /** Ends the pause early, once there is enough for a full batch. */
  #enough = () => {}

  constructor(how: Batching<T, R>) {
    const { atOnce = 1, gatherMs = 0, ownerOf = () => '' } = how
    this.#how = how
    this.#atOnce = atOnce
    this.#gatherMs = gatherMs
    this.#ownerOf = ownerOf
  }

  /** Resolves with the outcome of the item. */
  add(item: T): Promise<R> {
    const { weigh, maxWaiting, maxWeight, backlog } = this.#how
    const weight = weigh(item)
    const owner = this.#ownerOf(item)
    if (this.#isTooMuch(owner, weight)) return Promise.reject(maxWaiting.error())
    return new Promise((resolve, reject) => {
      this.#turns.put(owner, { item, resolve, reject }, weight)
      backlog?.add(weight)
      if (this.#turns.weight() >= maxWeight) this.#enough()
      this.#start()
    })
  }

  #isTooMuch(owner: string, weight: number): boolean {
    const { maxWaiting } = this.#how
    const turns = this.#turns
    if (turns.owners === 0) return false
    const own = turns.weight(owner)
    if (own > 0 && own + weight > (maxWaiting.ofOwner ?? maxWaiting.weight)) return true
    const owners = turns.owners + (own > 0 ? 0 : 1)
    return turns.weight() + weight > maxWaiting.weight && own + weight > maxWaiting.weight / owners
  }

  #start(): void {
    if (this.#running >= this.#atOnce) return
    this.#running++
    setImmediate(() => void this.#runAll())
  }

  async #runAll(): Promise<void> {
    const { weigh, maxWeight, heavyBeside } = this.#how
    while (this.#turns.owners > 0) {
      await (this.#gatherMs > 0 ? this.#pause() : this.#gather())
      const entries = this.#turns.take(maxWeight, this.#heavy)
      const [first] = entries
      // Another runner took the waiting items, or they wait for the heavy one.
      if (!first) break
      if (heavyBeside && weigh(first.item) > maxWeight)
        void this.#runHeavy(this.#ownerOf(first.item), entries)
      else await this.#runOne(entries)
    }
    this.#running--
  }

  async #runHeavy(owner: string, entries: readonly Entry<T, R>[]): Promise<void> {
    this.#heavy = owner
    await this.#runOne(entries)
    this.#heavy = undefined
    if (this.#turns.owners > 0) this.#start()
  }

  async #runOne(entries: readonly Entry<T, R>[]): Promise<void> {
    const { run, weigh, backlog } = this.#how
    try {
      const outcomes = await run(entries.map(({ item }) => item))
      for (const [index, { resolve, reject }] of entries.entries()) {
        const outcome = outcomes[index]
        if (outcome && 'value' in outcome) resolve(outcome.value)
        else reject(outcome?.error)
      }
    } catch (error) {
      for (const { reject } of entries) reject(error)
    }
    backlog?.add(-entries.reduce((sum, { item }) => sum + weigh(item), 0))
  }

  async #pause(): Promise<void> {
    if (this.#turns.weight() >= this.#how.maxWeight) return
    await new Promise<void>((resolve) => {
      this.#enough = resolve
      setTimeout(resolve, this.#gatherMs)
    })
  }

  /** Waits while each turn of the event loop brings more items. Without load it does not wait. */
  async #gather(): Promise<void> {
    for (let turn = 0; turn < MOST_TURNS; turn++) {
      const before = this.#turns.weight()
      await new Promise(setImmediate)
      if (this.#turns.weight() === before) return
    }
  }
}

/** Runs a batch that stores something: halves one that fails until an item that cannot be stored is alone. */
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

interface Part<T> {
  items: readonly T[]
  isHalf: boolean
}

/** Runs items together. If that fails, they are halved until those that fail are alone, and all others are done. */
export async function halve<T>(
  all: readonly T[],
  {
    run,
    leaveOut,
    fail,
  }: {
    /** Runs items together, all or none. */
    run(items: readonly T[], isHalf: boolean): Promise<void>
    /** Handles the items that are known to have caused an error. Returns the others, which run without being halved. */
    leaveOut?(items: readonly T[], error: unknown): Promise<readonly T[]>
    /** Called with an item that fails alone, and with all that are left once the store is unavailable. */
    fail(items: readonly T[], error: unknown): void
  },
): Promise<void> {
  /** Returns the parts to run instead, the next one last. */
  async function runPart({ items, isHalf }: Part<T>): Promise<Part<T>[]> {
    if (items.length === 0) return []
    try {
      await run(items, isHalf)
      return []
    } catch (error) {
      if (error instanceof StoreUnavailable) throw error
      const others = (await leaveOut?.(items, error)) ?? items
      if (others.length < items.length) return [{ items: others, isHalf: false }]
      if (items.length > 1) return halvesOf(items)
      fail(items, error)
      return []
    }
  }

  const parts: Part<T>[] = [{ items: all, isHalf: false }]
  for (let part = parts.pop(); part; part = parts.pop()) {
    try {
      parts.push(...(await runPart(part)))
    } catch (error) {
      // The other parts would fail too, each after a wait.
      for (const { items } of [part, ...parts]) fail(items, error)
      return
    }
  }
}

function halvesOf<T>(items: readonly T[]): Part<T>[] {
  const middle = Math.ceil(items.length / 2)
  return [items.slice(middle), items.slice(0, middle)].map((half) => ({ items: half, isHalf: true }))
}
