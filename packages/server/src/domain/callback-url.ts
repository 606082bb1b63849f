import { Problem } from './errors.ts'

const MAX_CALLBACK_URL = 2048

/** Scheme and authority. Stricter than the URL parser, which would mend `http:example.com` or `http:///host`. */
const START = /^https?:\/\/([^/\\?#]+)/i
/** What the URL parser would silently drop or turn around: white space, controls and backslashes. */
const MENDED = /[\s\\\p{Cc}]/u

/**
 * Checks the form of a callback URL: absolute http(s), a host, no user name or password. A fragment is
 * allowed and never sent. Where the host leads is checked when the callback is posted, not here.
 */
export function checkCallbackUrl(url: string): void {
  if (url.length > MAX_CALLBACK_URL) {
    throw invalid(`Expected a URL of at most ${MAX_CALLBACK_URL} characters; got ${url.length}.`)
  }
  if (MENDED.test(url))
    throw invalid('Expected a URL without white space, control character or backslash; got one.')
  const authority = START.exec(url)?.[1]
  if (authority === undefined || !URL.canParse(url)) {
    throw invalid('Expected an absolute http or https URL with a host, such as https://example.com/sms.')
  }
  if (authority.includes('@')) throw invalid('Expected a URL without user name and password.')
}

function invalid(detail: string): Problem {
  return new Problem('invalid_callback_url', detail)
}
