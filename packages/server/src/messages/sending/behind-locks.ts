import { halve, type Outcome } from '../../flow/batch.ts'
import { RowLocked } from '../../store/database.ts'

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

/** How items are run together, and the names of the rows that they lock. */
interface LockingWork<T, R> {
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

interface Entry<T, R> {
  item: T
  waitedMs: number
  resolve(outcome: Outcome<R>): void
}

/** Items that wait for a locked wallet or key. */
interface Queue<T, R> {
  waiting: Entry<T, R>[]
  weight: number
  /** Whether an item met the lock since the last try began. */
  isLocked: boolean
}

/**
 * Runs batches of items of many wallets so that a lock delays only the items that need it. A batch that meets a lock
 * goes on without the items of locked wallets; if no wallet is locked, it is halved until the item whose key is locked
 * is found. Their wallets and keys get a queue, in which their new items wait as well. They are tried in turn, each
 * alone and in one transaction at a time, until a try meets no lock.
 */
export class BehindLocks<T, R> {
  readonly #work: LockingWork<T, R>
  readonly #lockWaitMs: number
  readonly #searchWaitMs: number
  /** By name, in the order of the tries. A name without items stays known, for the items to come. */
  readonly #queues = new Map<string, Queue<T, R>>()
  #trying = false

  constructor(work: LockingWork<T, R>) {
    this.#work = work
    this.#lockWaitMs = work.lockWaitMs ?? LOCK_WAIT_MS
    this.#searchWaitMs = Math.ceil(this.#lockWaitMs / SEARCH_PART)
  }

  async run(items: readonly T[]): Promise<Outcome<R>[]> {
    const outcomes: Outcome<R>[] = []
    const all = items.map((item, index): Entry<T, R> => {
      const resolve = (outcome: Outcome<R>) => {
        outcomes[index] = outcome
      }
      return { item, waitedMs: 0, resolve }
    })
    const free = all.filter((entry) => {
      const name = [this.#nameOf(entry.item), this.#work.walletOf(entry.item)].find((each) =>
        this.#queues.has(each),
      )
      if (name !== undefined) this.#wait(entry, name)
      return name === undefined
    })
    await this.#attempt(free, this.#lockWaitMs)
    return all.map((entry, index) => outcomes[index] ?? { value: promiseOf(entry) })
  }

  #nameOf(item: T): string {
    return this.#work.keyOf(item) ?? this.#work.walletOf(item)
  }

  /** Settles entries, or lets them wait for the names that they find locked. */
  #attempt(entries: readonly Entry<T, R>[], lockWaitMs: number): Promise<void> {
    return halve(entries, {
      run: async (some, isHalf) => {
        const items = some.map(({ item }) => item)
        const outcomes = await this.#work.run(
          items,
          isHalf ? Math.min(this.#searchWaitMs, lockWaitMs) : lockWaitMs,
        )
        for (const [index, { resolve }] of some.entries()) resolve(outcomes[index] ?? { error: undefined })
      },
      leaveOut: async (some, error) => (error instanceof RowLocked ? this.#leaveLocked(some) : some),
      fail(some, error) {
        for (const { resolve } of some) resolve({ error })
      },
    })
  }

  async #leaveLocked(entries: readonly Entry<T, R>[]): Promise<readonly Entry<T, R>[]> {
    const [name = '', ...others] = new Set(entries.map(({ item }) => this.#nameOf(item)))
    const walletIds = new Set(entries.map(({ item }) => this.#work.walletOf(item)))
    // An item that waits for its key goes on so, whether or not its wallet is locked right now.
    const isKnown = others.length === 0 && this.#queues.has(name)
    const locked = isKnown ? new Set<string>() : await this.#work.lockedWallets([...walletIds])
    if (locked.size > 0) {
      for (const entry of entries) {
        const walletId = this.#work.walletOf(entry.item)
        if (locked.has(walletId)) this.#meet(entry, walletId)
      }
      return entries.filter(({ item }) => !locked.has(this.#work.walletOf(item)))
    }
    if (others.length > 0) return entries
    // The lock may be on another row of the wallet, so its other items must not stop shared batches either.
    if (!isKnown) for (const walletId of walletIds) this.#noteLock(walletId)
    for (const entry of entries) this.#meet(entry, name)
    return []
  }

  /** Lets an entry that met a lock wait, or refuses it. */
  #meet(entry: Entry<T, R>, name: string): void {
    this.#noteLock(name)
    this.#wait(entry, name)
  }

  #noteLock(name: string): void {
    const known = this.#queues.get(name)
    if (known) known.isLocked = true
    else if (this.#queues.size < MOST_NAMES || this.#forgetOne())
      this.#queues.set(name, { waiting: [], weight: 0, isLocked: true })
  }

  #forgetOne(): boolean {
    for (const [name, { waiting }] of this.#queues) if (waiting.length === 0) return this.#queues.delete(name)
    return false
  }

  #wait(entry: Entry<T, R>, name: string): void {
    const { item, waitedMs, resolve } = entry
    const list = this.#queues.get(name)
    const weight = this.#work.weigh(item)
    const isFull = !list || (list.waiting.length > 0 && list.weight + weight > MOST_WAITING)
    if (isFull || waitedMs >= MOST_WAITS * this.#lockWaitMs) {
      resolve({ error: this.#work.refusal(name === this.#work.walletOf(item) ? 'wallet' : 'key') })
      return
    }
    list.waiting.push(entry)
    list.weight += weight
    if (this.#trying) return
    this.#trying = true
    setImmediate(() => this.#tryInTurn())
  }

  async #tryInTurn(): Promise<void> {
    for (;;) {
      const busy = [...this.#queues].filter(([, { waiting }]) => waiting.length > 0)
      const [next] = busy
      if (!next) break
      const lockWaitMs = Math.min(this.#lockWaitMs, Math.ceil((ROUND_WAITS * this.#lockWaitMs) / busy.length))
      for (const entry of next[1].waiting) entry.waitedMs += lockWaitMs * busy.length
      await this.#tryOne(...next, lockWaitMs)
    }
    this.#trying = false
  }

  async #tryOne(name: string, list: Queue<T, R>, lockWaitMs: number): Promise<void> {
    // To the end of the next round.
    this.#queues.delete(name)
    this.#queues.set(name, list)
    const waiting = emptied(list)
    list.isLocked = false
    do {
      await this.#attempt(waiting.splice(0, this.#sizeOfTry(waiting)), lockWaitMs)
      if (this.#queues.get(name) !== list || list.isLocked) continue
      this.#queues.delete(name)
      waiting.push(...emptied(list))
    } while (waiting.length > 0 && !this.#queues.has(name))
    for (const entry of waiting) this.#wait(entry, name)
  }

  #sizeOfTry(waiting: readonly Entry<T, R>[]): number {
    let weight = 0
    const beyond = waiting.findIndex(({ item }, index) => {
      weight += this.#work.weigh(item)
      return index > 0 && weight > MOST_IN_A_TRY
    })
    return beyond < 0 ? waiting.length : beyond
  }
}

function emptied<T, R>(list: Queue<T, R>): Entry<T, R>[] {
  const { waiting } = list
  list.waiting = []
  list.weight = 0
  return waiting
}

/** Resolves when an entry that waits is settled. */
function promiseOf<T, R>(entry: Entry<T, R>): Promise<R> {
  return new Promise((resolve, reject) => {
    entry.resolve = (outcome) => ('value' in outcome ? resolve(outcome.value) : reject(outcome.error))
  })
}
