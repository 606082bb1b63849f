import { isIP } from 'node:net'
import { countedAddress, wideNetwork } from '../gateway/caller-address.ts'

/** Lets a fetch begin, and gives what ends it; undefined when it would take more than its share. */
export type FetchPlaces = (asker: string, url: string) => (() => void) | undefined

const MOST_OF_AN_ASKER = 4
const MOST_OF_A_SITE = 8

/**
 * How many documents may be on the way at once. There are few connections for all of them: neither one caller nor one slow
 * site may hold them all, however many names the site has for its hosts.
 */
export function createFetchPlaces(): FetchPlaces {
  const taken = new Map<string, number>()

  function change(name: string, by: number): void {
    const count = (taken.get(name) ?? 0) + by
    if (count > 0) taken.set(name, count)
    else taken.delete(name)
  }

  return function take(asker, url) {
    const counted = countedAddress(asker)
    const [network, site] = [`from ${wideNetwork(counted) ?? counted}`, `to ${siteOf(url)}`]
    if ((taken.get(network) ?? 0) >= MOST_OF_AN_ASKER || (taken.get(site) ?? 0) >= MOST_OF_A_SITE)
      return undefined
    for (const name of [network, site]) change(name, 1)
    return () => {
      for (const name of [network, site]) change(name, -1)
    }
  }
}

/** The last two labels of a host. Several owners may share them, as at a hosting service; then they share the places. */
function siteOf(url: string): string {
  const { hostname } = new URL(url)
  const isAddress = hostname.startsWith('[') || isIP(hostname) !== 0
  return isAddress ? hostname : hostname.split('.').slice(-2).join('.')
}
