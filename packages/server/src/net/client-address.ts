import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { parseCidrs } from './cidr-set.ts'

/** Says from which address a request comes, when it may have come by proxies that the operator trusts. */
export type ClientAddress = (peer: string | undefined, forwardedFor: string | undefined) => string

/**
 * Each trusted proxy adds the address that it was called from to the end of `X-Forwarded-For`. What stands before the
 * last address that is not one of them was written by the caller, and is not believed. A header that came straight
 * from a peer which is not trusted is told to `onUntrusted`: that peer may be a proxy which no setting names.
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
