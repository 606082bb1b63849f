import type { AddressGuard } from './address-guard.ts'
import { checkedLookup, createSystemLookup, type Lookup } from './checked-lookup.ts'
import { type Connection, createConnections } from './connections.ts'
import { type Exchanged, exchange } from './exchange.ts'
import {
  failedBefore,
  type Outbound,
  type OutboundRequest,
  type OutboundResult,
  type Outcome,
  type TargetRefusal,
} from './port.ts'
import { createSocketSlots } from './socket-slots.ts'
import { readTarget, type Target } from './target.ts'

export interface OutboundOptions {
  guard: AddressGuard
  /** Default: the system's resolver. */
  lookup?: Lookup
  /** A monotonic clock in milliseconds, from any starting point. */
  now?: () => number
  /** How many requests run at a time. Callers share them out: a receiver that keeps silent holds all that it is given. */
  maxSockets?: number
  /** How long a request may wait for others to end, before its own time begins; as long as it takes when left out. */
  waitMs?: number
}

export interface OutboundClient {
  request: Outbound
  refusal: TargetRefusal
  /** Aborts running requests, closes every socket and fails later requests. */
  close(): void
}

/**
 * Sends requests to addresses that clients choose. Each address is checked three times: the literal or the DNS answers
 * before connecting, the connected address, and again before each request on a kept socket. Redirects are returned and
 * not followed, because their URL was not checked. Proxy settings in the environment are ignored, because we could not
 * check where a proxy connects.
 */
export function createOutbound(options: OutboundOptions): OutboundClient {
  const { guard, now = () => performance.now(), maxSockets = 1_024, waitMs } = options
  const slots = createSocketSlots(maxSockets, waitMs)
  const lookup = checkedLookup(options.lookup ?? createSystemLookup(), guard)
  const connections = createConnections({ guard, lookup, maxSockets })
  let closed = false

  async function request(input: OutboundRequest): Promise<OutboundResult> {
    let startedAt = now()
    const outcome = await perform(input, () => {
      startedAt = now()
      return startedAt + input.timeoutMs
    })
    return { ...outcome, latencyMs: now() - startedAt }
  }

  /** The time of a request begins with its slot: waiting for the answers of others is no fault of its receiver. */
  async function perform(input: OutboundRequest, begin: () => number): Promise<Outcome> {
    const target = readTarget(input.url, guard)
    if (target.kind === 'failure') return target
    if (!(await slots.acquire())) return failedBefore('timeout', 'every connection stayed in use')
    try {
      if (closed) return failedBefore('connect_failed', 'the gateway is closing')
      return await exchangeTwiceIfStale(target, input, begin())
    } finally {
      slots.release()
    }
  }

  /**
   * A receiver may close a kept socket at the moment it is reused. That is no failure of the receiver, so the request
   * is sent once more on a new socket. The first copy may have arrived: callers promise at-least-once, never exactly
   * once. A request that may be sent only `once` fails instead.
   */
  async function exchangeTwiceIfStale(
    target: Target,
    input: OutboundRequest,
    deadline: number,
  ): Promise<Outcome> {
    const first = await attempt(connections.take(target), target, input, deadline)
    if (!first.stale || input.once || closed) return first.outcome
    const second = await attempt(connections.open(target), target, input, deadline)
    return second.outcome
  }

  async function attempt(
    connection: Connection,
    target: Target,
    input: OutboundRequest,
    deadline: number,
  ): Promise<Exchanged> {
    const timeoutMs = Math.max(0, deadline - now())
    const exchanged = await exchange({ target, input, connection, guard, timeoutMs })
    const { outcome } = exchanged
    if (outcome.kind === 'reply' && !outcome.truncated) connections.giveBack(connection)
    else await connections.discard(connection)
    return exchanged
  }

  function refusal(url: string): string | undefined {
    const target = readTarget(url, guard)
    return target.kind === 'failure' ? target.detail : undefined
  }

  function close(): void {
    closed = true
    connections.close()
  }

  return { request, refusal, close }
}
