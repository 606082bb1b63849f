import type { Clock } from '../clock.ts'

const HOUR_MS = 3_600_000
const MOST_AN_HOUR = 20
const MOST_ADDRESSES = 10_000

/** Whether an address may register one more client: 20 an hour, counted in this process. */
export function createRegistrationLimit(
  clock: Clock,
): (address: string) => { retryAfter: number } | undefined {
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
    if (count <= MOST_AN_HOUR) return undefined
    return { retryAfter: Math.ceil((startedAt + HOUR_MS - now) / 1_000) }
  }
}
