import type { Outcome } from '../platform/batcher.ts'
import { RowLocked, StoreUnavailable } from '../platform/database/database.ts'

export interface HeldUpOptions<T, R> {
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
}

/** How long a transaction waits for one lock. */
const LOCK_WAIT_MS = 200
/** The lock wait while halves are tried. An item that needs longer waits in a lane. */
const SEARCH_WAIT_MS = 25
/** Each lane gets a turn within about this time, however many lanes there are. */
const ROUND_MS = 1_000
/** An item that has waited about this long for its lock is refused. */
const MOST_WAIT_MS = 2_000
/** More lanes would make the turns too short, so their items are refused. */
const MOST_LANES = 50
const MOST_IN_A_LANE = 2_000
const MOST_IN_A_TURN = 1_000
/** Beyond this number of lanes, closed ones in which nothing waits are dropped. */
const MOST_REMEMBERED = 1_000

interface Entry<T, R> {
  item: T
  /** The total length of the turns that it took part in or waited for. */
  waitedMs: number
  settle(outcome: Outcome<R>): void
}

interface Group<T, R> {
  entries: readonly Entry<T, R>[]
  lockWaitMs: number
}

interface Lane<T, R> {
  waiting: Entry<T, R>[]
  weight: number
  /** How often an item of this lane met a lock. */
  stops: number
  /** True when new items need not wait here. */
  open: boolean
}

/**
 * Runs batches of items of many wallets so that a lock holds up only the items that need it. A batch that meets a lock
 * goes on without the items of the locked wallets; if no wallet is locked, it is halved until the item whose key is
 * locked is found. These items, and new ones of the same wallet or key, wait in a lane. The lanes take turns, one
 * transaction at a time, so that waiting for locks takes at most one database connection besides the batch's own. A
 * lane opens again after a turn that meets no lock.
 */
export function createHeldUp<T, R>(
  options: HeldUpOptions<T, R>,
): (items: readonly T[]) => Promise<Outcome<R>[]> {
  const { walletOf, keyOf, weigh } = options
  const lanes = new Map<string, Lane<T, R>>()
  let running = false

  /** Settles entries or puts them into lanes. */
  async function attempt(first: Group<T, R>): Promise<void> {
    const groups = [first]
    for (let group = groups.pop(); group; group = groups.pop()) {
      try {
        groups.push(...(await attemptOnce(group)))
      } catch (error) {
        // The store is unavailable: the other groups would fail too, each after a wait.
        for (const { entries } of [group, ...groups]) for (const { settle } of entries) settle({ error })
        return
      }
    }
  }

  /** Returns the groups to attempt instead, the next one last. */
  async function attemptOnce({ entries, lockWaitMs }: Group<T, R>): Promise<Group<T, R>[]> {
    if (entries.length === 0) return []
    try {
      const items = entries.map(({ item }) => item)
      const outcomes = await options.run(items, lockWaitMs)
      for (const [index, { settle }] of entries.entries()) settle(outcomes[index] ?? { error: undefined })
      return []
    } catch (error) {
      if (error instanceof StoreUnavailable) throw error
      if (error instanceof RowLocked) return leaveLocked(entries)
      const [only] = entries
      if (entries.length > 1) return halves(entries)
      only?.settle({ error })
      return []
    }
  }

  async function leaveLocked(entries: readonly Entry<T, R>[]): Promise<Group<T, R>[]> {
    const names = new Set(entries.map(({ item }) => keyOf(item) ?? walletOf(item)))
    const [name = ''] = names
    const walletIds = new Set(entries.map(({ item }) => walletOf(item)))
    // Entries of one closed lane go back to it, whether or not their wallet happens to be locked right now.
    const known = names.size === 1 && isClosed(name)
    const locked = known ? undefined : await options.lockedWallets([...walletIds])
    if (locked && locked.size > 0) {
      for (const entry of entries) {
        const walletId = walletOf(entry.item)
        if (locked.has(walletId)) hold(entry, walletId)
      }
      const rest = entries.filter(({ item }) => !locked.has(walletOf(item)))
      return [{ entries: rest, lockWaitMs: LOCK_WAIT_MS }]
    }
    if (names.size > 1) return halves(entries)
    // The lock may be on another row of the wallet, so its other items must not stop shared batches either.
    if (!known) for (const walletId of walletIds) close(walletId)
    for (const entry of entries) hold(entry, name)
    return []
  }

  /** Puts an entry that met a lock into the lane of that name, or refuses it. */
  function hold(entry: Entry<T, R>, name: string): void {
    close(name)
    if (entry.waitedMs < MOST_WAIT_MS) join(entry, name)
    else refuse(entry, name)
  }

  function isClosed(name: string): boolean {
    return lanes.get(name)?.open === false
  }

  function close(name: string): void {
    const lane = laneOf(name)
    lane.open = false
    lane.stops++
  }

  function laneOf(name: string): Lane<T, R> {
    const known = lanes.get(name)
    if (known) return known
    if (lanes.size >= MOST_REMEMBERED) forgetOne()
    const lane = { waiting: [], weight: 0, stops: 0, open: false }
    lanes.set(name, lane)
    return lane
  }

  function forgetOne(): void {
    for (const [name, { waiting }] of lanes) {
      if (waiting.length > 0) continue
      lanes.delete(name)
      return
    }
  }

  function join(entry: Entry<T, R>, name: string): void {
    const lane = laneOf(name)
    const weight = weigh(entry.item)
    const isFull =
      lane.waiting.length === 0 ? busyLanes() >= MOST_LANES : lane.weight + weight > MOST_IN_A_LANE
    if (isFull) {
      refuse(entry, name)
      return
    }
    lane.waiting.push(entry)
    lane.weight += weight
    if (running) return
    running = true
    setImmediate(takeTurns)
  }

  function refuse({ item, settle }: Entry<T, R>, name: string): void {
    settle({ error: options.refusal(name === walletOf(item) ? 'wallet' : 'key') })
  }

  function busyLanes(): number {
    let busy = 0
    for (const { waiting } of lanes.values()) if (waiting.length > 0) busy++
    return busy
  }

  async function takeTurns(): Promise<void> {
    for (let next = nextLane(); next; next = nextLane()) await takeTurn(...next)
    running = false
  }

  function nextLane(): [string, Lane<T, R>] | undefined {
    for (const next of lanes) if (next[1].waiting.length > 0) return next
    return undefined
  }

  async function takeTurn(name: string, lane: Lane<T, R>): Promise<void> {
    const busy = busyLanes()
    const lockWaitMs = Math.min(LOCK_WAIT_MS, Math.ceil(ROUND_MS / busy))
    // Moves the lane to the end of the next round.
    lanes.delete(name)
    lanes.set(name, lane)
    const { waiting, stops } = lane
    lane.waiting = []
    lane.weight = 0
    for (const entry of waiting) entry.waitedMs += lockWaitMs * busy
    const entries = waiting.slice(0, sizeOfTurn(waiting))
    await attempt({ entries, lockWaitMs })
    lane.open = lane.stops === stops
    const rest = waiting.slice(entries.length)
    if (!lane.open) for (const entry of rest) hold(entry, name)
    else if (rest.length + lane.waiting.length === 0) lanes.delete(name)
    else {
      lane.waiting = [...rest, ...lane.waiting]
      lane.weight = lane.waiting.reduce((sum, { item }) => sum + weigh(item), 0)
    }
  }

  function sizeOfTurn(waiting: readonly Entry<T, R>[]): number {
    let weight = 0
    const beyond = waiting.findIndex(({ item }, index) => {
      weight += weigh(item)
      return index > 0 && weight > MOST_IN_A_TURN
    })
    return beyond < 0 ? waiting.length : beyond
  }

  /** Puts an entry into a lane if its key or wallet is known to be locked. Returns whether it did. */
  function waits(entry: Entry<T, R>): boolean {
    if (lanes.size === 0) return false
    const names = [keyOf(entry.item) ?? walletOf(entry.item), walletOf(entry.item)]
    const name = names.find(isClosed)
    if (name !== undefined) join(entry, name)
    return name !== undefined
  }

  return async function run(items) {
    const outcomes: Outcome<R>[] = []
    const all = items.map((item, index): Entry<T, R> => {
      const settle = (outcome: Outcome<R>) => {
        outcomes[index] = outcome
      }
      return { item, waitedMs: 0, settle }
    })
    await attempt({ entries: all.filter((entry) => !waits(entry)), lockWaitMs: LOCK_WAIT_MS })
    return all.map((entry, index) => outcomes[index] ?? { value: settlementOf(entry) })
  }
}

/** Resolves when an entry that waits in a lane is settled. */
function settlementOf<T, R>(entry: Entry<T, R>): Promise<R> {
  return new Promise((resolve, reject) => {
    entry.settle = (outcome) => ('value' in outcome ? resolve(outcome.value) : reject(outcome.error))
  })
}

function halves<T, R>(entries: readonly Entry<T, R>[]): Group<T, R>[] {
  const middle = Math.ceil(entries.length / 2)
  return [entries.slice(middle), entries.slice(0, middle)].map((half) => ({
    entries: half,
    lockWaitMs: SEARCH_WAIT_MS,
  }))
}
