import type { Clock } from '../clock.ts'
import { countedAddress, WIDE_SHARE, wideNetwork } from '../gateway/caller-address.ts'

/** Says when to ask again, once there were too many requests. */
export interface TooMany {
  /** In seconds. */
  retryAfter: number
}

/** Counts a request of an address. */
export type AddressLimit = (address: string) => TooMany | undefined

const HOUR_MS = 3_600_000
const MOST_ADDRESSES = 10_000

/** Whether an address may ask once more: so many times an hour, counted in this process. */
export function createAddressLimit(clock: Clock, mostAnHour: number): AddressLimit {
  let counts = new Map<string, number>()
  let startedAt = clock.elapsed()

  function isOver(name: string, most: number): boolean {
    const count = (counts.get(name) ?? 0) + 1
    counts.set(name, count)
    return count > most
  }

  return function check(address) {
    const now = clock.elapsed()
    // Addresses that fill the table are a flood: all of them start again together, and it never grows.
    if (now - startedAt >= HOUR_MS || counts.size >= MOST_ADDRESSES) {
      counts = new Map()
      startedAt = now
    }
    const counted = countedAddress(address)
    const wide = wideNetwork(counted)
    // The wide network comes first: one that is over its limit fills the table with no more addresses.
    const tooMany =
      (wide !== undefined && isOver(wide, WIDE_SHARE * mostAnHour)) || isOver(counted, mostAnHour)
    return tooMany ? { retryAfter: Math.ceil((startedAt + HOUR_MS - now) / 1_000) } : undefined
  }
}

/** Whether one more request may come, from wherever it is: so many an hour, counted in this process. */
export function createHourlyLimit(clock: Clock, most: number): () => TooMany | undefined {
  let count = 0
  let startedAt = clock.now()

  return function check() {
    const now = clock.now()
    if (now - startedAt >= HOUR_MS) {
      count = 0
      startedAt = now
    }
    count += 1
    return count > most ? { retryAfter: Math.ceil((startedAt + HOUR_MS - now) / 1_000) } : undefined
  }
}
