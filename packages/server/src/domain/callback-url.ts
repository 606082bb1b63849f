import { URL_FORM } from '@wigwag/contract'
import { Problem } from './errors.ts'

const MAX_CALLBACK_URL = 2048

/** Scheme and authority. Stricter than the URL parser, which repairs `http:example.com` and `http:///host`. */
const START = /^https?:\/\/([^/\\?#]+)/i
/** Characters that the URL parser silently drops or replaces: white space, controls and backslashes. */
const MENDED = /[\s\\\p{Cc}]/u

/**
 * Checks a callback URL: absolute http(s) with a host, no user name or password, and not refused by `refusal`, the
 * check that is also made at each post. A fragment is allowed and never sent. Host names are resolved and checked only
 * at each post.
 */
export function checkCallbackUrl(url: string, refusal: (url: string) => string | undefined): void {
  if (url.length > MAX_CALLBACK_URL) {
    throw invalid(`Expected a URL of at most ${MAX_CALLBACK_URL} characters; got ${url.length}.`)
  }
  if (MENDED.test(url))
    throw invalid('Expected a URL without white space, control character or backslash; got one.')
  const authority = START.exec(url)?.[1]
  if (authority === undefined || !URL.canParse(url)) {
    throw invalid(`Expected ${URL_FORM}.`)
  }
  if (authority.includes('@')) throw invalid('Expected a URL without user name and password.')
  const refused = refusal(url)
  if (refused !== undefined) {
    throw invalid(
      'Expected a URL that the gateway may call, with a public host unless the operator allows its range ' +
        `(WIGWAG_CALLBACK_ALLOW); ${refused}.`,
    )
  }
}

function invalid(detail: string): Problem {
  return new Problem('invalid_callback_url', detail)
}
