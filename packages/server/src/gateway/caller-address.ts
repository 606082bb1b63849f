import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** What is no address is counted as one: a caller who can hide where it is must not go uncounted. */
const UNKNOWN = 'unknown'
/** Groups of 16 bits: a network of this size is what one customer of a provider gets, and moves about in. */
const GROUPS_OF_64_BITS = 4
/** Some customers get a network of this size, which has 65,536 of the others. */
const GROUPS_OF_48_BITS = 3

/** How many times the limit of one counted address a wide network has: several customers may share one. */
export const WIDE_SHARE = 5

/** What attempts are counted by: an IPv4 address, or the /64 network of an IPv6 address. */
export function countedAddress(address: string): string {
  if (isIP(address) === 0) return UNKNOWN
  const found = ipaddr.process(address)
  if (found instanceof ipaddr.IPv4) return found.toString()
  const network = found.parts.slice(0, GROUPS_OF_64_BITS).map((part) => part.toString(16))
  return `${network.join(':')}::/64`
}

/**
 * The /48 network around a counted address, which is counted as well. It is what the names of all /64 networks in it
 * begin with: `2001:db8:1:`. Undefined for IPv4.
 */
export function wideNetwork(counted: string): string | undefined {
  if (!counted.endsWith('::/64')) return undefined
  return `${counted.split(':').slice(0, GROUPS_OF_48_BITS).join(':')}:`
}
