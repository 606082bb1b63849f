import type { Clock } from '../clock.ts'
import type { Logger } from '../log.ts'
import type { ProxyWarnings } from './client-address.ts'

const AN_HOUR = 3_600_000
const CONSEQUENCE =
  'everyone who comes through it counts as one address, so one stranger who tries passwords locks everyone out'

/**
 * Warns of a proxy in front of the gateway that no setting names; undefined when all is well. The gateway itself speaks
 * no TLS, so a public address with https implies a proxy.
 */
export function undeclaredProxy({
  publicUrl,
  trustedProxies,
}: {
  publicUrl: string | undefined
  trustedProxies: readonly string[]
}): string | undefined {
  if (!publicUrl?.startsWith('https:') || trustedProxies.length > 0) return undefined
  return (
    `WIGWAG_TRUSTED_PROXIES is not set, and WIGWAG_PUBLIC_URL is ${publicUrl}, so a proxy stands before the gateway: ` +
    `${CONSEQUENCE}. Set it to the range of the proxy's address, such as 127.0.0.1/32.`
  )
}

/** Logs each kind of warning at most once an hour, because anyone can send the header. */
export function createProxyWarnings({ clock, log }: { clock: Clock; log: Logger }): ProxyWarnings {
  function hourly(warn: (address: string) => void): (address: string) => void {
    let from = 0
    return function warnHourly(address) {
      const now = clock.now()
      if (now < from) return
      from = now + AN_HOUR
      warn(address)
    }
  }

  return {
    untrusted: hourly((peer) =>
      log.warn(
        { peer },
        'X-Forwarded-For came from an address that is not in WIGWAG_TRUSTED_PROXIES, and was ignored. If that is ' +
          `your proxy, add it: until then, ${CONSEQUENCE}.`,
      ),
    ),
    unreadable: hourly((proxy) =>
      log.warn(
        { proxy },
        'What a trusted proxy appended to X-Forwarded-For is no address, with or without a port, and was ignored. ' +
          `Let it append the address of its client: until then, ${CONSEQUENCE}.`,
      ),
    ),
  }
}
