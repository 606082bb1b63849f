import type { IconName } from '../../pages/icons.ts'

/** A page in the rail. */
export interface Place {
  path: string
  name: string
  icon: IconName
}

/** The rail's entries. */
export const PLACES = {
  overview: { path: '/', name: 'Overview', icon: 'chart' },
  customers: { path: '/customers', name: 'Customers', icon: 'people' },
  senders: { path: '/senders', name: 'Sender IDs', icon: 'sender' },
  messages: { path: '/messages', name: 'Messages', icon: 'inbox' },
  carriers: { path: '/carriers', name: 'Carriers', icon: 'antenna' },
  prices: { path: '/prices', name: 'Prices', icon: 'tag' },
  audit: { path: '/audit', name: 'Audit', icon: 'search' },
  operators: { path: '/operators', name: 'Operators', icon: 'key' },
} as const satisfies Record<string, Place>

export type PlaceId = keyof typeof PLACES

/** The place that a path is in. */
export function placeOf(path: string): PlaceId {
  const found = Object.entries<Place>(PLACES).find(
    ([, place]) => place.path !== '/' && path.startsWith(place.path),
  )
  return (found?.[0] ?? 'overview') as PlaceId
}

const HERE = 'http://here.invalid'

/** The path and query of an untrusted address, if it is one of our pages; otherwise undefined. */
export function localPath(address: string | undefined): string | undefined {
  if (address === undefined || !/^\/[!-~]*$/.test(address)) return undefined
  const url = URL.parse(address, HERE)
  if (url?.origin !== HERE) return undefined
  const isPlace = Object.values<Place>(PLACES).some(
    ({ path }) => path === url.pathname || (path !== '/' && url.pathname.startsWith(`${path}/`)),
  )
  return isPlace ? url.pathname + url.search : undefined
}
