import type { Outbound, OutboundRequest, OutboundResult, TargetRefusal } from '../gateway/ports.ts'
import type { AddressGuard } from './address-guard.ts'
import { checkedLookup, createSystemLookup, type Lookup } from './checked-lookup.ts'
import { createConnectionSlots } from './connection-slots.ts'
import { type Connections, createConnections } from './connections.ts'
import { type Exchanged, exchange } from './exchange.ts'
import { failedBefore, type Outcome } from './outcome.ts'
import { readTarget, type Target } from './target.ts'

export interface OutboundOptions {
  guard: AddressGuard
  /** The system's resolver unless given. */
  lookup?: Lookup
  /** Milliseconds that only go forward; the zero does not matter. */
  now?: () => number
  maxSocketsPerHost?: number
  maxSockets?: number
}

export interface OutboundClient {
  request: Outbound
  refusal: TargetRefusal
  /** Ends what is running, drops every connection, and fails whatever is asked for afterwards. */
  close(): void
}

/**
 * Requests to addresses that clients choose. Each is checked three times: the literal or the DNS answers
 * before connecting, the connected address once connected, and again before each request on a kept
 * connection. Redirects are replies like any other, since following one would start over with a URL that
 * nobody vetted. No proxy is used, whatever the environment says: it would connect where we cannot look.
 */
export function createOutbound(options: OutboundOptions): OutboundClient {
  const { guard, now = () => performance.now(), maxSocketsPerHost = 32, maxSockets = 1_024 } = options
  const slots = createConnectionSlots(maxSocketsPerHost, maxSockets)
  const lookup = checkedLookup(options.lookup ?? createSystemLookup(), guard)
  const kept = createConnections({ guard, lookup, keepAlive: true, maxSockets })
  const fresh = createConnections({ guard, lookup, keepAlive: false, maxSockets })
  let closed = false

  const remaining = (deadline: number): number => Math.max(0, deadline - now())

  async function request(input: OutboundRequest): Promise<OutboundResult> {
    const startedAt = now()
    const deadline = startedAt + input.timeoutMs
    const outcome = await perform(input, deadline).catch(unbuildable)
    return { ...outcome, latencyMs: now() - startedAt }
  }

  async function perform(input: OutboundRequest, deadline: number): Promise<Outcome> {
    const target = readTarget(input.url, guard)
    if (target.kind === 'failure') return target
    if (!(await slots.acquire(target.host, remaining(deadline)))) {
      return failedBefore('timeout', 'the deadline passed while every connection was in use')
    }
    try {
      if (closed) return failedBefore('connect_failed', 'the gateway is closing')
      return await exchangeTwiceIfStale(target, input, deadline)
    } finally {
      slots.release(target.host)
    }
  }

  /**
   * A receiver may close a kept connection at the instant it is reused. That says nothing about the
   * receiver, so it is tried once more on a new connection. The first copy may have arrived after all:
   * callers promise at-least-once, never exactly once.
   */
  async function exchangeTwiceIfStale(
    target: Target,
    input: OutboundRequest,
    deadline: number,
  ): Promise<Outcome> {
    const first = await attempt(target, input, deadline, kept)
    if (!first.stale || closed) return first.outcome
    const second = await attempt(target, input, deadline, fresh)
    return second.outcome
  }

  function attempt(
    target: Target,
    input: OutboundRequest,
    deadline: number,
    connections: Connections,
  ): Promise<Exchanged> {
    return exchange({ target, input, connections, guard, timeoutMs: remaining(deadline) })
  }

  function refusal(url: string): string | undefined {
    const target = readTarget(url, guard)
    return target.kind === 'failure' ? target.detail : undefined
  }

  function close(): void {
    closed = true
    kept.close()
    fresh.close()
  }

  return { request, refusal, close }
}

/** Node refused to build the request, for example over a line break in a header. Nothing was sent. */
function unbuildable(error: unknown): Outcome {
  const message = error instanceof Error ? error.message : String(error)
  return failedBefore('invalid_url', `the request cannot be built: ${message}`)
}
