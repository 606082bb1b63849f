import { AddressGuard, type Guard } from './address-guard.ts'
import { checkedLookup, type Lookup, SystemLookup } from './checked-lookup.ts'
import { type Connection, ConnectionPool, readTarget, type Target } from './connection-pool.ts'
import { type Exchanged, exchange } from './exchange.ts'
import {
  failedBefore,
  type Outbound,
  type OutboundRequest,
  type Outcome,
  type TargetRefusal,
} from './port.ts'

/** A message whose request found no socket in this time was not sent, and comes again later. */
const CARRIER_SOCKETS = { maxSockets: 2_000, waitMs: 10_000 }
const DOCUMENT_SOCKETS = { maxSockets: 32, waitMs: 5_000 }

/** The only network access to addresses that clients choose. */
export class Network {
  readonly #clients: readonly OutboundClient[]
  /** Posts callbacks. There are more sockets than places in the lanes that post, so that none waits here. */
  readonly callbacks: Outbound
  /**
   * Fetches documents. Anyone can trigger a fetch from any host, so it has separate sockets: callbacks never wait for
   * it.
   */
  readonly documents: Outbound
  /** Reaches HTTP carriers, with as many sockets as their windows may be wide. */
  readonly carriers: Outbound
  /** Says why a URL would be refused before any request. */
  readonly refusal: TargetRefusal

  constructor(allowed: ConstructorParameters<typeof AddressGuard>[0]) {
    const guard = new AddressGuard(allowed)
    const callbacks = new OutboundClient({ guard })
    const documents = new OutboundClient({ guard, ...DOCUMENT_SOCKETS })
    const carriers = new OutboundClient({ guard, ...CARRIER_SOCKETS })
    this.#clients = [callbacks, documents, carriers]
    this.callbacks = callbacks.request
    this.documents = documents.request
    this.carriers = carriers.request
    this.refusal = callbacks.refusal
  }

  readonly close = (): void => {
    for (const client of this.#clients) client.close()
  }
}

/**
 * Sends requests to addresses that clients choose. Each address is checked three times: the literal or the DNS answers
 * before connecting, the connected address, and again before each request on a kept socket. Redirects are returned and
 * not followed, because their URL was not checked. Proxy settings in the environment are ignored, because we could not
 * check where a proxy connects.
 */
export class OutboundClient {
  readonly #guard: Guard
  readonly #now: () => number
  readonly #slots: SocketSlots
  readonly #pool: ConnectionPool
  #closed = false

  constructor({
    guard,
    lookup = new SystemLookup().resolve,
    now = () => performance.now(),
    maxSockets = 1_024,
    waitMs,
  }: {
    guard: Guard
    lookup?: Lookup
    /** A monotonic clock in milliseconds, from any starting point. */
    now?: () => number
    /** How many requests run at a time. Callers share them out: a receiver that keeps silent holds all that it is given. */
    maxSockets?: number
    /** How long a request may wait for others to end, before its own time begins; as long as it takes when left out. */
    waitMs?: number
  }) {
    this.#guard = guard
    this.#now = now
    this.#slots = new SocketSlots(maxSockets, waitMs)
    this.#pool = new ConnectionPool(guard, checkedLookup(lookup, guard), maxSockets)
  }

  readonly request: Outbound = async (input) => {
    let startedAt = this.#now()
    const outcome = await this.#perform(input, () => {
      startedAt = this.#now()
      return startedAt + input.timeoutMs
    })
    return { ...outcome, latencyMs: this.#now() - startedAt }
  }

  readonly refusal: TargetRefusal = (url) => {
    const target = readTarget(url, this.#guard)
    return target.kind === 'failure' ? target.detail : undefined
  }

  /** Aborts running requests, closes every socket and fails later requests. */
  close(): void {
    this.#closed = true
    this.#pool.close()
  }

  /** The time of a request begins with its slot: waiting for the answers of others is no fault of its receiver. */
  async #perform(input: OutboundRequest, begin: () => number): Promise<Outcome> {
    const target = readTarget(input.url, this.#guard)
    if (target.kind === 'failure') return target
    if (!(await this.#slots.acquire())) return failedBefore('timeout', 'every connection stayed in use')
    try {
      if (this.#closed) return failedBefore('connect_failed', 'the gateway is closing')
      return await this.#exchangeTwiceIfStale(target, input, begin())
    } finally {
      this.#slots.release()
    }
  }

  /**
   * A receiver may close a kept socket at the moment it is reused. That is no failure of the receiver, so the request
   * is sent once more on a new socket. The first copy may have arrived: callers promise at-least-once, never exactly
   * once. A request that may be sent only `once` fails instead.
   */
  async #exchangeTwiceIfStale(target: Target, input: OutboundRequest, deadline: number): Promise<Outcome> {
    const first = await this.#attempt(this.#pool.take(target), target, input, deadline)
    if (!first.stale || input.once || this.#closed) return first.outcome
    const second = await this.#attempt(this.#pool.open(target), target, input, deadline)
    return second.outcome
  }

  async #attempt(
    connection: Connection,
    target: Target,
    input: OutboundRequest,
    deadline: number,
  ): Promise<Exchanged> {
    const timeoutMs = Math.max(0, deadline - this.#now())
    const exchanged = await exchange({ target, input, connection, guard: this.#guard, timeoutMs })
    const { outcome } = exchanged
    if (outcome.kind === 'reply' && !outcome.truncated) this.#pool.giveBack(connection)
    else await this.#pool.discard(connection)
    return exchanged
  }
}

/** Limits concurrent requests. Waiting requests get their slots in the order in which they came. */
class SocketSlots {
  readonly #most: number
  readonly #waitMs: number | undefined
  readonly #waiting = new Set<(granted: boolean) => void>()
  #taken = 0

  constructor(most: number, waitMs: number | undefined) {
    this.#most = most
    this.#waitMs = waitMs
  }

  /** Resolves to false when no slot became free in time. */
  acquire(): Promise<boolean> {
    if (this.#taken < this.#most) {
      this.#taken += 1
      return Promise.resolve(true)
    }
    return new Promise((resolve) => {
      const waitMs = this.#waitMs
      const timer = waitMs === undefined ? undefined : setTimeout(() => answer(false), waitMs)
      const answer = (granted: boolean) => {
        clearTimeout(timer)
        this.#waiting.delete(answer)
        resolve(granted)
      }
      this.#waiting.add(answer)
    })
  }

  /** Passes the slot on to the request that has waited longest. */
  release(): void {
    const [next] = this.#waiting
    if (next === undefined) this.#taken -= 1
    else next(true)
  }
}
