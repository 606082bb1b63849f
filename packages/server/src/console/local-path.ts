const HERE = 'http://here.invalid'

/** The path of ours in an address that came from outside; undefined when it leads elsewhere, or could be read to. */
export function localPath(address: string | undefined): string | undefined {
  if (address === undefined || !/^\/[!-~]*$/.test(address)) return undefined
  const url = URL.parse(address, HERE)
  // Browsers read two slashes as the beginning of a host, also those that are left when dots were taken out.
  if (url?.origin !== HERE || url.pathname.startsWith('//')) return undefined
  return url.pathname + url.search
}
