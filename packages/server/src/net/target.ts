import { isIP } from 'node:net'
import type { AddressGuard } from './address-guard.ts'
import { type Failed, failedBefore } from './outcome.ts'

/** Where a request goes, read once from its URL so that no later step parses it differently. */
export interface Target {
  kind: 'target'
  secure: boolean
  /** Without the brackets of an IPv6 literal. */
  host: string
  port: number
  path: string
}

/**
 * Reads a client's URL. The WHATWG parser turns every odd spelling of an IPv4 address (octal, hex, short,
 * full-width) into the canonical one, so the literal that is checked is the literal that is connected to.
 */
export function readTarget(text: string, guard: AddressGuard): Target | Failed {
  const url = URL.parse(text)
  if (url === null) return failedBefore('invalid_url', 'the URL cannot be read')
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
  return { kind: 'target', secure, host, port, path: `${url.pathname}${url.search}` }
}
