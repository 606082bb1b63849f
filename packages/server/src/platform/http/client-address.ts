import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { parseCidrs } from '../outbound/address-guard.ts'

/** Finds the client's address from the peer's address and `X-Forwarded-For`. */
export type ClientAddress = (peer: string | undefined, forwardedFor: string | undefined) => string

/**
 * Each trusted proxy appends its peer's address to `X-Forwarded-For`, so the last address that is not a trusted proxy
 * is the client. Anything before it was written by the caller and is ignored. When an untrusted peer sends the header,
 * `onUntrusted` is called: it may be a proxy missing from the settings.
 */
export function createClientAddress(
  trustedProxies: readonly string[],
  onUntrusted: (peer: string) => void,
): ClientAddress {
  const trusted = parseCidrs(trustedProxies)
  const isTrusted = (address: string) => trusted.has(ipaddr.process(address))

  return function clientAddress(peer, forwardedFor) {
    if (peer === undefined || isIP(peer) === 0) return 'unknown'
    if (forwardedFor !== undefined && !isTrusted(peer)) onUntrusted(peer)
    const hops = (forwardedFor ?? '').split(',').map((hop) => hop.trim())
    let address = peer
    while (isTrusted(address)) {
      const before = hops.pop()
      if (before === undefined || isIP(before) === 0) break
      address = before
    }
    return ipaddr.process(address).toString()
  }
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
