import type { PageContext } from '../platform/pages/reply.ts'

/** The page that the person wanted, if it is one of ours. */
export function nextOf(c: PageContext): string | undefined {
  return localPath(c.req.query('next'))
}

const HERE = 'http://here.invalid'
/** The pages that a sign-in may lead to. None of them sends a browser elsewhere without a click. */
const OUR_PAGES =
  /^\/(?:docs|oauth\/interaction\/[\w-]+|messages(?:\/[\w-]+)?|send(?:\/many(?:\/[\w-]+)?)?|scheduled|insights|wallet|sender-ids|rates|developers|callbacks|keys|connections|people|you|log|sandbox|join|prove|accounts)$/

/** The path and query of an untrusted address, if it is one of our pages; otherwise undefined. */
export function localPath(address: string | undefined): string | undefined {
  if (address === undefined || !/^\/[!-~]*$/.test(address)) return undefined
  const url = URL.parse(address, HERE)
  if (url?.origin !== HERE || !OUR_PAGES.test(url.pathname)) return undefined
  return url.pathname + url.search
}
