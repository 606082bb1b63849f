import { Problem } from './errors.ts'

const MAX_CALLBACK_URL = 2048

/** Scheme and authority. Stricter than the URL parser, which would mend `http:example.com` or `http:///host`. */
const START = /^https?:\/\/([^/\\?#]+)/i
/** What the URL parser would silently drop or turn around: white space, controls and backslashes. */
const MENDED = /[\s\\\p{Cc}]/u

/**
 * Checks a callback URL: absolute http(s), a host, no user name or password, and nothing in it that rules out every
 * call, which `refusal` says as it would when the callback is posted. A fragment is allowed and never sent. Where a host
 * name leads is checked at each post, not here.
 */
export function checkCallbackUrl(url: string, refusal: (url: string) => string | undefined): void {
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
