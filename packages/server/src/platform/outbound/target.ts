import { isIP } from 'node:net'
import type { AddressGuard } from './address-guard.ts'
import { type Failed, failedBefore } from './port.ts'

/** The destination of a request, parsed once so that no later step reads the URL differently. */
export interface Target {
  kind: 'target'
  secure: boolean
  origin: string
  /** An IPv6 literal has no brackets here. */
  host: string
  port: number
  path: string
}

/**
 * Parses a client's URL. The WHATWG parser normalizes every spelling of an IPv4 address (octal, hex, short,
 * full-width), so the literal that is checked is the one connected to.
 */
export function readTarget(text: string, guard: AddressGuard): Target | Failed {
  const url = URL.parse(text)
  if (url === null) return failedBefore('invalid_url', 'the URL cannot be parsed')
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    return failedBefore('invalid_url', `expected http: or https:, got ${url.protocol}`)
  }
  if (url.username !== '' || url.password !== '') {
    return failedBefore('invalid_url', 'the URL must not hold a user name or password')
  }
  // Node would read port 0 as "the default port".
  if (url.port === '0') return failedBefore('invalid_url', 'port 0 cannot be connected to')

  const secure = url.protocol === 'https:'
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  // Node skips the look-up hook for a literal, so this is the only check before it connects.
  const refusal = isIP(host) === 0 ? undefined : guard.check(host)
  if (refusal !== undefined) return failedBefore('blocked_address', `the host is ${refusal}`)
  const port = url.port === '' ? (secure ? 443 : 80) : Number(url.port)
  const { origin, pathname, search } = url
  return { kind: 'target', secure, origin, host, port, path: `${pathname}${search}` }
}
