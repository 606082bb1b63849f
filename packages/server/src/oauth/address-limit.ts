import type { Clock } from '../clock.ts'

/** Says when an address may ask again, once it has asked too often. */
export type AddressLimit = (address: string) => { retryAfter: number } | undefined

const HOUR_MS = 3_600_000
const MOST_ADDRESSES = 10_000

/** Whether an address may ask once more: so many times an hour, counted in this process. */
export function createAddressLimit(clock: Clock, mostAnHour: number): AddressLimit {
  let counts = new Map<string, number>()
  let startedAt = clock.now()

  return function check(address) {
    const now = clock.now()
    // Addresses that fill the table are a flood: all of them start again together, and it never grows.
    if (now - startedAt >= HOUR_MS || counts.size >= MOST_ADDRESSES) {
      counts = new Map()
      startedAt = now
    }
    const count = (counts.get(address) ?? 0) + 1
    counts.set(address, count)
    if (count <= mostAnHour) return undefined
    return { retryAfter: Math.ceil((startedAt + HOUR_MS - now) / 1_000) }
  }
}
