import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { parseCidrs } from '../outbound/address-guard.ts'

/** Finds the client's address from the peer's address and `X-Forwarded-For`. */
export type ClientAddress = (peer: string | undefined, forwardedFor: string | undefined) => string

/** What may be wrong about the proxies in front of the gateway. */
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
export function createClientAddress(
  trustedProxies: readonly string[],
  warnings: ProxyWarnings,
): ClientAddress {
  const trusted = parseCidrs(trustedProxies)
  const isTrusted = (address: string) => trusted.has(ipaddr.process(address))

  return function clientAddress(peer, forwardedFor) {
    if (peer === undefined || isIP(peer) === 0) return 'unknown'
    if (forwardedFor !== undefined && !isTrusted(peer)) warnings.untrusted(peer)
    const hops = forwardedFor?.split(',') ?? []
    let address = peer
    while (isTrusted(address)) {
      const hop = hops.pop()
      if (hop === undefined) break
      const before = withoutPort(hop.trim())
      if (isIP(before) === 0) {
        warnings.unreadable(address)
        break
      }
      address = before
    }
    return ipaddr.process(address).toString()
  }
}

/** Some proxies append the port: `203.0.113.5:4711`, `[2001:db8::1]:443`. */
function withoutPort(hop: string): string {
  const [, v4, v6] = /^(?:([\d.]+):\d{1,5}|\[([\da-f:.]+)\](?::\d{1,5})?)$/i.exec(hop) ?? []
  return v4 ?? v6 ?? hop
}

/** Callers without a usable address share this one, so that they are still counted. */
const UNKNOWN = 'unknown'
/** In 16-bit groups. Providers usually give one customer a /64, and the customer's address changes within it. */
const GROUPS_OF_64_BITS = 4
/** Some customers get a /48, which holds 65,536 /64 networks. */
const GROUPS_OF_48_BITS = 3

/** A /48 gets this many times the limit of one counted address, because several customers may share it. */
export const WIDE_SHARE = 5

/** The key that attempts are counted by: an IPv4 address, or the /64 network of an IPv6 address. */
export function countedAddress(address: string): string {
  if (isIP(address) === 0) return UNKNOWN
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
