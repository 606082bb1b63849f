import { createClientAddress, type ProxyWarnings } from '../http/client-address.ts'
import type { Logger } from '../log.ts'
import { PROBES } from './exchange.ts'
import type { Answered } from './observe.ts'

export interface AccessLogOptions {
  log: Logger
  /** Address ranges of the proxies whose `X-Forwarded-For` is trusted. */
  trustedProxies: readonly string[]
  proxyWarnings: ProxyWarnings
}

/**
 * Writes a line for each request. It has no path, because paths and queries hold numbers, tickets and codes of sign-in;
 * the operation says what was asked.
 */
export function createAccessLog({ log, trustedProxies, proxyWarnings }: AccessLogOptions) {
  const clientAddress = createClientAddress(trustedProxies, proxyWarnings)
  // A line is wanted even where the level of the log is higher. Looking for secrets in it would take longer than writing
  // it, and it has none.
  const lines = log.child({}, { level: 'info', redact: [] })

  return function logAccess(answered: Answered): void {
    const { operation, status, requestId, accountId, code, ms, peer, forwardedFor } = answered
    // A probe gets a line only when it fails.
    if (PROBES.has(operation) && status < 400) return
    const line = {
      requestId,
      account: accountId,
      operation,
      status,
      code,
      ms: Math.round(ms * 100) / 100,
      client: clientAddress(peer, forwardedFor),
    }
    lines.info(line, 'request')
  }
}
