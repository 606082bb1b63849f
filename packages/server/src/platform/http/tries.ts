import { countedAddress, WIDE_SHARE, wideNetwork } from './client-address.ts'
import { createRateLimit, type RateLimit, type RateLimitOptions } from './rate-limit.ts'

/** Limits what strangers may try: by address and by wide network. Each process counts its own. */
export class Tries {
  readonly #ofAddress: RateLimit
  readonly #ofNetwork: RateLimit

  /** The rate is that of one address. */
  constructor({ perSecond, burst, clock }: RateLimitOptions) {
    this.#ofAddress = createRateLimit({ perSecond, burst, clock })
    this.#ofNetwork = createRateLimit({ perSecond: WIDE_SHARE * perSecond, burst: WIDE_SHARE * burst, clock })
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
