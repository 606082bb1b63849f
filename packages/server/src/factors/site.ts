import { isLoopback } from '@wigwag/contract'

/** The site that passkeys are made for and good at. */
export interface Site {
  /** Its host name, without a port. */
  id: string
  origin: string
  name: string
}

/** The site at an address. */
export function siteOf(url: string, name: string): Site {
  const { hostname, origin } = new URL(url)
  return { id: hostname, origin, name }
}

/** Whether browsers offer passkeys at an address: over https, or on this machine under its name. */
export function takesPasskeys(url: string): boolean {
  const place = new URL(url)
  if (/^[\d.]+$|:/.test(place.hostname)) return false
  return place.protocol === 'https:' || isLoopback(place)
}
