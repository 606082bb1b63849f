/** The address of the inbox under a filter, and of a page of it. */
export function inboxAddress(q: string, cursor?: string): string {
  return `/messages${parameters({ q, cursor })}`
}

/** The address of a filter's messages as a file. */
export function exportAddress(q: string): string {
  return `/messages.csv${parameters({ q })}`
}

/** Where the live stream of a filter is. */
export function liveAddress(q: string): string {
  return `/messages/live${parameters({ q })}`
}

function parameters(all: Record<string, string | undefined>): string {
  const given = Object.entries(all).filter(([, value]) => value !== undefined && value !== '')
  const query = given.map(([name, value]) => `${name}=${encodeURIComponent(value ?? '')}`).join('&')
  return query === '' ? '' : `?${query}`
}
