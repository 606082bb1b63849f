const HERE = 'http://here.invalid'
/** The pages that a person may be on the way to. None of them sends a browser elsewhere without a click. */
const OUR_PAGES = /^\/(?:connections|docs|oauth\/interaction\/[\w-]+)$/

/** The path of a page of ours in an address that came from outside; undefined when it leads anywhere else. */
export function localPath(address: string | undefined): string | undefined {
  if (address === undefined || !/^\/[!-~]*$/.test(address)) return undefined
  const url = URL.parse(address, HERE)
  if (url?.origin !== HERE || !OUR_PAGES.test(url.pathname)) return undefined
  return url.pathname + url.search
}
