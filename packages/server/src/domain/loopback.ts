/** The names by which a machine calls itself. */
export const LOOPBACK_NAMES: readonly string[] = ['localhost', '127.0.0.1', '[::1]']

/** Whether what answers at an address can only be on this machine, where nobody listens in. */
export function isLoopback({ hostname }: URL): boolean {
  return LOOPBACK_NAMES.includes(hostname)
}

/** Whether what listens at a host is reached from this machine alone. */
export function isLoopbackHost(host: string): boolean {
  const address = `http://${host.includes(':') ? `[${host}]` : host}`
  return URL.canParse(address) && isLoopback(new URL(address))
}

/** An address by all the names that it has: on this machine, people write one and programs another. */
export function namesOf(address: string): readonly [string, ...string[]] {
  const url = new URL(address)
  if (!isLoopback(url)) return [address]
  const port = url.port === '' ? '' : `:${url.port}`
  const others = LOOPBACK_NAMES.filter((name) => name !== url.hostname)
  return [address, ...others.map((name) => `${url.protocol}//${name}${port}`)]
}
