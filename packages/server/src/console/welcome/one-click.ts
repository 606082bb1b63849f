import { isLoopback, isLoopbackHost } from '../../domain/loopback.ts'

/**
 * Whether a request with this `Host` and from this address comes from a browser on this machine that knows the gateway
 * by a loopback name. A page of another site can have its own name point to this machine, but can't send another `Host`;
 * another machine can send any `Host`, but not from here.
 */
export function isFromThisMachine(host: string | undefined, address: string): boolean {
  const url = URL.parse(`http://${host ?? ''}`)
  return url !== null && isLoopback(url) && isLoopbackAddress(address)
}

/** A whole network is loopback in IPv4. */
function isLoopbackAddress(address: string): boolean {
  return isLoopbackHost(address) || /^127(?:\.\d{1,3}){3}$/.test(address)
}
