/** The host names of this machine as seen from itself. */
export const LOOPBACK_NAMES: readonly string[] = ['localhost', '127.0.0.1', '[::1]']

/** Whether a URL can only reach this machine, so that the traffic needs no encryption. */
export function isLoopback({ hostname }: URL): boolean {
  return LOOPBACK_NAMES.includes(hostname)
}

/** Whether a server that listens on this host is reachable from this machine only. */
export function isLoopbackHost(host: string): boolean {
  const address = `http://${host.includes(':') ? `[${host}]` : host}`
  return URL.canParse(address) && isLoopback(new URL(address))
}

/** All equivalent spellings of an address: a loopback address may be written with any of the loopback names. */
export function namesOf(address: string): readonly [string, ...string[]] {
  const url = new URL(address)
  if (!isLoopback(url)) return [address]
  const port = url.port === '' ? '' : `:${url.port}`
  const others = LOOPBACK_NAMES.filter((name) => name !== url.hostname)
  return [address, ...others.map((name) => `${url.protocol}//${name}${port}`)]
}
