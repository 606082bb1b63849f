import { Problem } from '../../kernel/errors.ts'
import type { Principal } from '../../kernel/principal.ts'
import type { Clock } from '../../kernel/process/clock.ts'
import { countedAddress, WIDE_SHARE, wideNetwork } from './client-address.ts'

/**
 * The headers for every response to a principal. Throws a problem when it is over the limit: one for the API, `/mcp` and
 * the forms of pages together.
 */
export type RateLimit = (principal: Pick<Principal, 'clientId'>) => Record<string, string>

interface Bucket {
  tokens: number
  at: number
}

const MOST_CLIENTS = 10_000

/** How many requests there may be. */
export interface RequestRate {
  perSecond: number
  burst: number
}

/** A token bucket per client id. Each process keeps its own buckets. */
export class TokenBuckets {
  readonly #rate: RequestRate
  readonly #clock: Pick<Clock, 'elapsed'>
  readonly #policy: string
  readonly #buckets = new Recent<Bucket>(MOST_CLIENTS)

  constructor({ perSecond, burst, clock }: RequestRate & { clock: Pick<Clock, 'elapsed'> }) {
    this.#rate = { perSecond, burst }
    this.#clock = clock
    this.#policy = `"default";q=${burst};w=${Math.ceil(burst / perSecond)}`
  }

  readonly limit: RateLimit = ({ clientId }) => {
    const { perSecond, burst } = this.#rate
    const now = this.#clock.elapsed()
    const bucket = this.#buckets.get(clientId) ?? { tokens: burst, at: now }
    bucket.tokens = Math.min(burst, bucket.tokens + ((now - bucket.at) * perSecond) / 1_000)
    bucket.at = now
    this.#buckets.set(clientId, bucket)
    const allowed = bucket.tokens >= 1
    if (allowed) bucket.tokens -= 1
    const left = Math.floor(bucket.tokens)
    const headers = {
      ratelimit: `"default";r=${left};t=${Math.ceil((burst - bucket.tokens) / perSecond)}`,
      'ratelimit-policy': this.#policy,
    }
    if (allowed) return headers
    const wait = Math.max(1, Math.ceil((1 - bucket.tokens) / perSecond))
    throw new Problem(
      'rate_limited',
      `Expected at most ${perSecond} requests a second; go on in ${wait === 1 ? 'a second' : `${wait} seconds`}.`,
      { headers: { ...headers, 'retry-after': String(wait) } },
    )
  }
}

/** Limits what strangers may try: by address and by wide network. Each process counts its own. */
export class Tries {
  readonly #ofAddress: RateLimit
  readonly #ofNetwork: RateLimit

  /** The rate is that of one address. */
  constructor({ perSecond, burst, clock }: RequestRate & { clock: Pick<Clock, 'elapsed'> }) {
    this.#ofAddress = new TokenBuckets({ perSecond, burst, clock }).limit
    this.#ofNetwork = new TokenBuckets({
      perSecond: WIDE_SHARE * perSecond,
      burst: WIDE_SHARE * burst,
      clock,
    }).limit
  }

  /** Counts one. Throws a problem when there were too many. */
  count(address: string): void {
    const counted = countedAddress(address)
    const wide = wideNetwork(counted)
    // The wide network comes first: once it is over its limit, it adds no more addresses to the table.
    if (wide !== undefined) this.#ofNetwork({ clientId: wide })
    this.#ofAddress({ clientId: counted })
  }
}

/** Keeps the values that were set last: when it is full, the oldest goes. */
export class Recent<Value> {
  readonly #most: number
  /** In the order in which they were set. */
  readonly #values = new Map<string, Value>()

  constructor(most: number) {
    this.#most = most
  }

  get(key: string): Value | undefined {
    return this.#values.get(key)
  }

  set(key: string, value: Value): void {
    this.#values.delete(key)
    this.#values.set(key, value)
    if (this.#values.size <= this.#most) return
    for (const oldest of this.#values.keys()) {
      this.#values.delete(oldest)
      return
    }
  }
}
