import { isLoopback, isLoopbackHost } from '@wigwag/contract'

/**
 * Whether a request with this `Host` and from this address comes from a browser on this machine that knows the gateway
 * by a loopback name. A page of another site can have its own name point to this machine, but can't send another `Host`;
 * another machine can send any `Host`, but not from here.
 */
export function isFromThisMachine(headers: HeaderOf, address: string): boolean {
  const url = URL.parse(`http://${headers('host') ?? ''}`)
  const isForwarded = FORWARDED.some((name) => headers(name) !== undefined)
  return url !== null && isLoopback(url) && isLoopbackAddress(address) && !isForwarded
}

type HeaderOf = (name: string) => string | undefined

/** Headers that proxies and tunnels on this machine add to requests from elsewhere. */
const FORWARDED = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'via']

/** A whole network is loopback in IPv4. */
function isLoopbackAddress(address: string): boolean {
  return isLoopbackHost(address) || /^127(?:\.\d{1,3}){3}$/.test(address)
}
