import type { Outcome } from '../platform/batcher.ts'
import { RowLocked } from '../platform/database/database.ts'
import { halve } from '../platform/halve.ts'

export interface SetAsideOptions<T, R> {
  /** Runs items in one transaction that waits at most `lockWaitMs` for each lock. Throws what undid it. */
  run(items: readonly T[], lockWaitMs: number): Promise<Outcome<R>[]>
  /** The wallet that an item locks. */
  walletOf(item: T): string
  /** The key of the rows that only the item and its repeats lock; undefined when there are none. */
  keyOf(item: T): string | undefined
  /** Which of these wallets are locked by others right now. Must not wait for them. */
  lockedWallets(walletIds: readonly string[]): Promise<ReadonlySet<string>>
  weigh(item: T): number
  /** The error of an item that waited too long for its wallet or its key. */
  refusal(by: 'wallet' | 'key'): Error
  /** How long a transaction waits for one lock, of which all other waits are parts or multiples. Default: 200 ms. */
  lockWaitMs?: number | undefined
}

const LOCK_WAIT_MS = 200
/** While halves are tried, the lock wait is this part of it. */
const SEARCH_PART = 8
/** Each name is tried within about so many waits, however many there are. */
const ROUND_WAITS = 5
/** An item that has waited about so many times for its lock is refused. */
const MOST_WAITS = 10
const MOST_NAMES = 1_000
/** The most weight that waits for a name. */
const MOST_WAITING = 20_000
const MOST_IN_A_TRY = 1_000

interface Entry<T, R> {
  item: T
  waitedMs: number
  resolve(outcome: Outcome<R>): void
}

/** What waits for a wallet or a key that is locked. */
interface Aside<T, R> {
  waiting: Entry<T, R>[]
  weight: number
  /** Whether an item met the lock since the last try began. */
  isLocked: boolean
}

/**
 * Runs batches of items of many wallets so that a lock delays only the items that need it. A batch that meets a lock
 * goes on without the items of locked wallets; if no wallet is locked, it is halved until the item whose key is locked
 * is found. Their wallets and keys are set aside, and new items of these wait with them. They are tried in turn, each
 * alone and in one transaction at a time, until a try meets no lock.
 */
export function createSetAside<T, R>(
  options: SetAsideOptions<T, R>,
): (items: readonly T[]) => Promise<Outcome<R>[]> {
  const { walletOf, keyOf, weigh, lockWaitMs: mostLockWaitMs = LOCK_WAIT_MS } = options
  const searchWaitMs = Math.ceil(mostLockWaitMs / SEARCH_PART)
  const nameOf = (item: T) => keyOf(item) ?? walletOf(item)
  /** By name, in the order of the tries. Those without items are remembered for the items to come. */
  const aside = new Map<string, Aside<T, R>>()
  let trying = false

  /** Settles entries, or lets them wait for the names that they find locked. */
  function attempt(entries: readonly Entry<T, R>[], lockWaitMs: number): Promise<void> {
    return halve(entries, {
      async run(some, isHalf) {
        const items = some.map(({ item }) => item)
        const outcomes = await options.run(items, isHalf ? Math.min(searchWaitMs, lockWaitMs) : lockWaitMs)
        for (const [index, { resolve }] of some.entries()) resolve(outcomes[index] ?? { error: undefined })
      },
      leaveOut: async (some, error) => (error instanceof RowLocked ? leaveLocked(some) : some),
      fail(some, error) {
        for (const { resolve } of some) resolve({ error })
      },
    })
  }

  async function leaveLocked(entries: readonly Entry<T, R>[]): Promise<readonly Entry<T, R>[]> {
    const [name = '', ...others] = new Set(entries.map(({ item }) => nameOf(item)))
    const walletIds = new Set(entries.map(({ item }) => walletOf(item)))
    // What is set aside for its key waits for that, whether or not its wallet happens to be locked right now.
    const isKnown = others.length === 0 && aside.has(name)
    const locked = isKnown ? new Set<string>() : await options.lockedWallets([...walletIds])
    if (locked.size > 0) {
      for (const entry of entries) {
        const walletId = walletOf(entry.item)
        if (locked.has(walletId)) meet(entry, walletId)
      }
      return entries.filter(({ item }) => !locked.has(walletOf(item)))
    }
    if (others.length > 0) return entries
    // The lock may be on another row of the wallet, so its other items must not stop shared batches either.
    if (!isKnown) for (const walletId of walletIds) setAside(walletId)
    for (const entry of entries) meet(entry, name)
    return []
  }

  /** Lets an entry that met a lock wait, or refuses it. */
  function meet(entry: Entry<T, R>, name: string): void {
    setAside(name)
    wait(entry, name)
  }

  function setAside(name: string): void {
    const known = aside.get(name)
    if (known) known.isLocked = true
    else if (aside.size < MOST_NAMES || forgetOne())
      aside.set(name, { waiting: [], weight: 0, isLocked: true })
  }

  function forgetOne(): boolean {
    for (const [name, { waiting }] of aside) if (waiting.length === 0) return aside.delete(name)
    return false
  }

  function wait(entry: Entry<T, R>, name: string): void {
    const { item, waitedMs, resolve } = entry
    const list = aside.get(name)
    const weight = weigh(item)
    const isFull = !list || (list.waiting.length > 0 && list.weight + weight > MOST_WAITING)
    if (isFull || waitedMs >= MOST_WAITS * mostLockWaitMs) {
      resolve({ error: options.refusal(name === walletOf(item) ? 'wallet' : 'key') })
      return
    }
    list.waiting.push(entry)
    list.weight += weight
    if (trying) return
    trying = true
    setImmediate(tryInTurn)
  }

  async function tryInTurn(): Promise<void> {
    for (;;) {
      const busy = [...aside].filter(([, { waiting }]) => waiting.length > 0)
      const [next] = busy
      if (!next) break
      const lockWaitMs = Math.min(mostLockWaitMs, Math.ceil((ROUND_WAITS * mostLockWaitMs) / busy.length))
      for (const entry of next[1].waiting) entry.waitedMs += lockWaitMs * busy.length
      await tryOne(...next, lockWaitMs)
    }
    trying = false
  }

  async function tryOne(name: string, list: Aside<T, R>, lockWaitMs: number): Promise<void> {
    // To the end of the next round.
    aside.delete(name)
    aside.set(name, list)
    const waiting = emptied(list)
    list.isLocked = false
    do {
      await attempt(waiting.splice(0, sizeOfTry(waiting)), lockWaitMs)
      if (aside.get(name) !== list || list.isLocked) continue
      aside.delete(name)
      waiting.push(...emptied(list))
    } while (waiting.length > 0 && !aside.has(name))
    for (const entry of waiting) wait(entry, name)
  }

  function emptied(list: Aside<T, R>): Entry<T, R>[] {
    const { waiting } = list
    list.waiting = []
    list.weight = 0
    return waiting
  }

  function sizeOfTry(waiting: readonly Entry<T, R>[]): number {
    let weight = 0
    const beyond = waiting.findIndex(({ item }, index) => {
      weight += weigh(item)
      return index > 0 && weight > MOST_IN_A_TRY
    })
    return beyond < 0 ? waiting.length : beyond
  }

  return async function run(items) {
    const outcomes: Outcome<R>[] = []
    const all = items.map((item, index): Entry<T, R> => {
      const resolve = (outcome: Outcome<R>) => {
        outcomes[index] = outcome
      }
      return { item, waitedMs: 0, resolve }
    })
    const free = all.filter((entry) => {
      const name = [nameOf(entry.item), walletOf(entry.item)].find((each) => aside.has(each))
      if (name !== undefined) wait(entry, name)
      return name === undefined
    })
    await attempt(free, mostLockWaitMs)
    return all.map((entry, index) => outcomes[index] ?? { value: promiseOf(entry) })
  }
}

/** Resolves when an entry that waits is settled. */
function promiseOf<T, R>(entry: Entry<T, R>): Promise<R> {
  return new Promise((resolve, reject) => {
    entry.resolve = (outcome) => ('value' in outcome ? resolve(outcome.value) : reject(outcome.error))
  })
}
