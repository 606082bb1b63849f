import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** What is no address is counted as one: a caller who can hide where it is must not go uncounted. */
const UNKNOWN = 'unknown'
/** Groups of 16 bits: a network of this size is what one customer of a provider gets, and moves about in. */
const GROUPS_OF_64_BITS = 4

/** What attempts are counted by: an IPv4 address, or the /64 network of an IPv6 address. */
export function countedAddress(address: string): string {
  if (isIP(address) === 0) return UNKNOWN
  const found = ipaddr.process(address)
  if (found instanceof ipaddr.IPv4) return found.toString()
  const network = found.parts.slice(0, GROUPS_OF_64_BITS).map((part) => part.toString(16))
  return `${network.join(':')}::/64`
}
