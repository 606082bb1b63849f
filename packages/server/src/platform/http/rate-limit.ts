import { Problem } from '../../domain/errors.ts'
import type { Clock } from '../clock.ts'
import type { Principal } from './principal.ts'
import { Recent } from './recent.ts'

/**
 * The headers for every response to a principal. Throws a problem when it is over the limit: one for the API, `/mcp` and
 * the forms of pages together.
 */
export type RateLimit = (principal: Pick<Principal, 'clientId'>) => Record<string, string>

export interface RateLimitOptions {
  perSecond: number
  burst: number
  clock: Clock
}

interface Bucket {
  tokens: number
  at: number
}

const MOST_CLIENTS = 10_000

/** A token bucket per client id. Each process keeps its own buckets. */
export function createRateLimit({ perSecond, burst, clock }: RateLimitOptions): RateLimit {
  const buckets = new Recent<Bucket>(MOST_CLIENTS)
  const policy = `"default";q=${burst};w=${Math.ceil(burst / perSecond)}`

  return function limit({ clientId }) {
    const now = clock.elapsed()
    const bucket = buckets.get(clientId) ?? { tokens: burst, at: now }
    bucket.tokens = Math.min(burst, bucket.tokens + ((now - bucket.at) * perSecond) / 1_000)
    bucket.at = now
    buckets.set(clientId, bucket)
    const allowed = bucket.tokens >= 1
    if (allowed) bucket.tokens -= 1
    const left = Math.floor(bucket.tokens)
    const headers = {
      ratelimit: `"default";r=${left};t=${Math.ceil((burst - bucket.tokens) / perSecond)}`,
      'ratelimit-policy': policy,
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
