import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import type { Clock } from '../../kernel/process/clock.ts'
import type { Logger } from '../../kernel/process/log.ts'
import { HOUR_MS } from '../../kernel/time/spans.ts'
import { type CidrSet, parseCidrs } from '../outbound/address-guard.ts'

/** Finds the client's address from the peer's address and `X-Forwarded-For`. */
export type ClientAddress = (peer: string | undefined, forwardedFor: string | undefined) => string

/** Warnings about the proxies in front of the gateway. */
export interface ProxyWarnings {
  /** A peer that is not trusted sent `X-Forwarded-For`: it may be a proxy missing from the settings. */
  untrusted(peer: string): void
  /** A trusted proxy appended something else than an address, so its clients can't be told apart. */
  unreadable(proxy: string): void
}

/**
 * Each trusted proxy appends its peer's address to `X-Forwarded-For`, so the last address that is not a trusted proxy
 * is the client. Anything before it was written by the caller and is ignored.
 */
export class TrustedProxies {
  readonly #trusted: CidrSet
  readonly #warnings: ProxyWarnings

  constructor(ranges: readonly string[], warnings: ProxyWarnings) {
    this.#trusted = parseCidrs(ranges)
    this.#warnings = warnings
  }

  readonly clientAddress: ClientAddress = (peer, forwardedFor) => {
    if (peer === undefined || isIP(peer) === 0) return 'unknown'
    if (forwardedFor !== undefined && !this.#isTrusted(peer)) this.#warnings.untrusted(peer)
    const hops = forwardedFor?.split(',') ?? []
    let address = peer
    while (this.#isTrusted(address)) {
      const hop = hops.pop()
      if (hop === undefined) break
      const before = withoutPort(hop.trim())
      if (isIP(before) === 0) {
        this.#warnings.unreadable(address)
        break
      }
      address = before
    }
    return ipaddr.process(address).toString()
  }

  #isTrusted(address: string): boolean {
    return this.#trusted.has(ipaddr.process(address))
  }
}

/** Some proxies append the port: `203.0.113.5:4711`, `[2001:db8::1]:443`. */
function withoutPort(hop: string): string {
  const [, v4, v6] = /^(?:([\d.]+):\d{1,5}|\[([\da-f:.]+)\](?::\d{1,5})?)$/i.exec(hop) ?? []
  return v4 ?? v6 ?? hop
}

/** Callers without a usable address share this one, so that they are still counted. */
export const UNKNOWN_ADDRESS = 'unknown'
/** In 16-bit groups. Providers usually give one customer a /64, and the customer's address changes within it. */
const GROUPS_OF_64_BITS = 4
/** Some customers get a /48, which holds 65,536 /64 networks. */
const GROUPS_OF_48_BITS = 3

/** A /48 gets this many times the limit of one counted address, because several customers may share it. */
export const WIDE_SHARE = 5

/** The key that attempts are counted by: an IPv4 address, or the /64 network of an IPv6 address. */
export function countedAddress(address: string): string {
  if (isIP(address) === 0) return UNKNOWN_ADDRESS
  const found = ipaddr.process(address)
  if (found instanceof ipaddr.IPv4) return found.toString()
  const network = found.parts.slice(0, GROUPS_OF_64_BITS).map((part) => part.toString(16))
  return `${network.join(':')}::/64`
}

/**
 * The /48 network around a counted address, which is counted as well, written as the prefix that all its /64 networks
 * share: `2001:db8:1:`. Undefined for IPv4.
 */
export function wideNetwork(counted: string): string | undefined {
  if (!counted.endsWith('::/64')) return undefined
  return `${counted.split(':').slice(0, GROUPS_OF_48_BITS).join(':')}:`
}

const CONSEQUENCE =
  'everyone who comes through it counts as one address, so one stranger who tries passwords locks everyone out'

/**
 * Warns of a proxy in front of the gateway that no setting names; undefined when all is well. The gateway itself speaks
 * no TLS, so a public address with https implies a proxy.
 */
export function undeclaredProxy({
  publicUrl,
  trustedProxies,
}: {
  publicUrl: string | undefined
  trustedProxies: readonly string[]
}): string | undefined {
  if (!publicUrl?.startsWith('https:') || trustedProxies.length > 0) return undefined
  return (
    `WIGWAG_TRUSTED_PROXIES is not set, and WIGWAG_PUBLIC_URL is ${publicUrl}, so a proxy stands before the gateway: ` +
    `${CONSEQUENCE}. Set it to the range of the proxy's address, such as 127.0.0.1/32.`
  )
}

/** Logs each kind of warning at most once an hour, because anyone can send the header. */
export class LoggedWarnings implements ProxyWarnings {
  readonly #clock: Pick<Clock, 'now'>
  readonly #log: Logger
  readonly #from = { untrusted: 0, unreadable: 0 }

  constructor({ clock, log }: { clock: Pick<Clock, 'now'>; log: Logger }) {
    this.#clock = clock
    this.#log = log
  }

  untrusted(peer: string): void {
    if (!this.#isDue('untrusted')) return
    this.#log.warn(
      { peer },
      'X-Forwarded-For came from an address that is not in WIGWAG_TRUSTED_PROXIES, and was ignored. If that is ' +
        `your proxy, add it: until then, ${CONSEQUENCE}.`,
    )
  }

  unreadable(proxy: string): void {
    if (!this.#isDue('unreadable')) return
    this.#log.warn(
      { proxy },
      'What a trusted proxy appended to X-Forwarded-For is no address, with or without a port, and was ignored. ' +
        `Let it append the address of its client: until then, ${CONSEQUENCE}.`,
    )
  }

  #isDue(kind: keyof ProxyWarnings): boolean {
    const now = this.#clock.now()
    if (now < this.#from[kind]) return false
    this.#from[kind] = now + HOUR_MS
    return true
  }
}
