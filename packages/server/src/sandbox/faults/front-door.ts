import { Problem } from '../../domain/errors.ts'
import type { FaultParts, Limit } from './parts.ts'

const SOON = { 'retry-after': '1' }
const USED_UP = { ratelimit: '"default";r=0;t=1', 'ratelimit-policy': '"default";q=1;w=1' }

/** A gateway that is too busy, or away. Its problems and headers are the real ones. */
export function faultyLimit(limit: Limit | undefined, parts: FaultParts): Limit {
  return function limited(principal) {
    const { gateway } = parts.settings()
    if (gateway !== undefined) parts.log(`gateway ${gateway}`, { client: principal.clientId })
    if (gateway === '429')
      throw new Problem('rate_limited', 'A fault of the sandbox is on; go on in a second.', {
        headers: { ...USED_UP, ...SOON },
      })
    if (gateway === '503')
      throw new Problem('unavailable', 'A fault of the sandbox is on; repeat the request in a moment.', {
        headers: SOON,
      })
    return limit?.(principal) ?? {}
  }
}
