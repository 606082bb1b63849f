/** Where a well-known document of an address is: its name stands between host and path (RFC 8414 §3, RFC 9728 §3). */
export function wellKnown(name: string, address: string): string {
  const { origin, pathname } = new URL(address)
  return `${origin}/.well-known/${name}${pathname === '/' ? '' : pathname}`
}
