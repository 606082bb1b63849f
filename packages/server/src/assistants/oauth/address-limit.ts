import type { Clock } from '../../platform/clock.ts'
import { countedAddress, WIDE_SHARE, wideNetwork } from '../../platform/http/client-address.ts'
import { Recent } from '../../platform/http/recent.ts'

/** There were too many requests: says when to try again. */
export interface TooMany {
  /** In seconds. */
  retryAfter: number
}

/** Counts a request from an address; undefined when it is within the limit. */
export type AddressLimit = (address: string) => TooMany | undefined

const HOUR_MS = 3_600_000
const MOST_ADDRESSES = 10_000

/** Limits requests per address and hour. Counted in this process only. */
export function createAddressLimit(clock: Clock, mostAnHour: number): AddressLimit {
  let counts = new Recent<number>(MOST_ADDRESSES)
  let startedAt = clock.elapsed()

  function isOver(name: string, most: number): boolean {
    const count = (counts.get(name) ?? 0) + 1
    counts.set(name, count)
    return count > most
  }

  return function check(address) {
    const now = clock.elapsed()
    if (now - startedAt >= HOUR_MS) {
      counts = new Recent(MOST_ADDRESSES)
      startedAt = now
    }
    const counted = countedAddress(address)
    const wide = wideNetwork(counted)
    // The wide network comes first: once it is over its limit, it adds no more addresses to the table.
    const tooMany =
      (wide !== undefined && isOver(wide, WIDE_SHARE * mostAnHour)) || isOver(counted, mostAnHour)
    return tooMany ? { retryAfter: Math.ceil((startedAt + HOUR_MS - now) / 1_000) } : undefined
  }
}

/** Limits requests per hour from all addresses together. Counted in this process only. */
export function createHourlyLimit(clock: Clock, most: number): () => TooMany | undefined {
  let count = 0
  let startedAt = clock.elapsed()

  return function check() {
    const now = clock.elapsed()
    if (now - startedAt >= HOUR_MS) {
      count = 0
      startedAt = now
    }
    count += 1
    return count > most ? { retryAfter: Math.ceil((startedAt + HOUR_MS - now) / 1_000) } : undefined
  }
}
