import type { Clock } from '../../kernel/process/clock.ts'
import { HOUR_MS } from '../../kernel/time/spans.ts'
import { countedAddress, WIDE_SHARE, wideNetwork } from '../../net/callers/client-address.ts'
import { Recent } from '../../net/callers/rate-limit.ts'

/** How often in an hour something is done that needs no sign-in, for one address where it does not say otherwise. */
export interface HourlyLimits {
  /** Each leaves a record for a day, or for as long as a connection needs it. */
  clients: number
  /** From all addresses together. A client is at most 8 KiB and unused ones are kept for a day: at most 100 MB. */
  clientsInAll: number
  /** Each leaves a record for half an hour. */
  authorizations: number
  /** Each is fetched from wherever a client says. */
  documents: number
}

export const HOURLY_LIMITS: HourlyLimits = {
  clients: 20,
  clientsInAll: 500,
  authorizations: 300,
  documents: 300,
}

/** There were too many requests: says when to try again. */
export interface TooMany {
  /** In seconds. */
  retryAfter: number
}

const MOST_ADDRESSES = 10_000

/** Limits requests per address and hour. Counted in this process only. */
export class AddressLimit {
  readonly #mostAnHour: number
  readonly #hour: Hour
  #counts = new Recent<number>(MOST_ADDRESSES)

  constructor(clock: Clock, mostAnHour: number) {
    this.#mostAnHour = mostAnHour
    this.#hour = new Hour(clock)
  }

  /** Counts a request from an address; undefined when it is within the limit. */
  count(address: string): TooMany | undefined {
    if (this.#hour.isNew()) this.#counts = new Recent(MOST_ADDRESSES)
    const counted = countedAddress(address)
    const wide = wideNetwork(counted)
    // The wide network comes first: once it is over its limit, it adds no more addresses to the table.
    const tooMany =
      (wide !== undefined && this.#isOver(wide, WIDE_SHARE * this.#mostAnHour)) ||
      this.#isOver(counted, this.#mostAnHour)
    return tooMany ? this.#hour.untilNext() : undefined
  }

  #isOver(name: string, most: number): boolean {
    const count = (this.#counts.get(name) ?? 0) + 1
    this.#counts.set(name, count)
    return count > most
  }
}

/** Limits requests per hour from all addresses together. Counted in this process only. */
export class HourlyLimit {
  readonly #most: number
  readonly #hour: Hour
  #count = 0

  constructor(clock: Clock, most: number) {
    this.#most = most
    this.#hour = new Hour(clock)
  }

  /** Counts a request; undefined when it is within the limit. */
  count(): TooMany | undefined {
    if (this.#hour.isNew()) this.#count = 0
    this.#count += 1
    return this.#count > this.#most ? this.#hour.untilNext() : undefined
  }
}

/** The hour in which requests are counted together. */
class Hour {
  readonly #clock: Clock
  #startedAt: number

  constructor(clock: Clock) {
    this.#clock = clock
    this.#startedAt = clock.elapsed()
  }

  /** Begins the next one when it is over. Returns whether it did. */
  isNew(): boolean {
    const now = this.#clock.elapsed()
    if (now - this.#startedAt < HOUR_MS) return false
    this.#startedAt = now
    return true
  }

  untilNext(): TooMany {
    return { retryAfter: Math.ceil((this.#startedAt + HOUR_MS - this.#clock.elapsed()) / 1_000) }
  }
}
