import { isLoopback } from '../../domain/loopback.ts'
import type { Site } from '../../factors/index.ts'

/** The site that passkeys are made for. */
export function siteOf(url: string): Site {
  const { hostname, origin } = new URL(url)
  return { id: hostname, origin, name: 'Wigwag desk' }
}

/** Whether browsers offer passkeys at an address: over https, or on this machine under its name. */
export function takesPasskeys(url: string): boolean {
  const place = new URL(url)
  if (/^[\d.]+$|:/.test(place.hostname)) return false
  return place.protocol === 'https:' || isLoopback(place)
}
