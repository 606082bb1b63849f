/** Checks of the fields of a send. Each throws the problem of a value that breaks its rule. */
import { SENDER_FORM, URL_FORM } from '@wigwag/contract'
import { Problem } from './errors.ts'

const NAME = /^(?=.*[A-Za-z])[A-Za-z0-9](?:[A-Za-z0-9 ]{0,9}[A-Za-z0-9])?$/
const NUMBER = /^[0-9]{3,15}$/

/**
 * Checks that a sender is a name of 1–11 ASCII letters, digits and inner spaces with at least one letter, or a number
 * of 3–15 digits. Does not check whether the account may use it.
 */
export function checkSender(from: string): void {
  if (NAME.test(from) || NUMBER.test(from)) return
  throw new Problem('invalid_sender', `Expected ${SENDER_FORM}; got ${JSON.stringify(from.slice(0, 40))}.`)
}

const MAX_REFERENCE = 128

/** Checks a client's reference. It is stored and echoed unchanged, so it only has to be short and well-formed. */
export function checkReference(reference: string): void {
  // Counting characters is slow, so skip it for a text too long even if all were surrogate pairs.
  if (reference.length > 2 * MAX_REFERENCE || characters(reference) > MAX_REFERENCE) {
    throw invalidReference(`Expected a reference of at most ${MAX_REFERENCE} characters; got a longer one.`)
  }
  if (reference.includes('\0')) throw invalidReference('Expected a reference without NUL; got one.')
  if (!reference.isWellFormed()) {
    throw invalidReference('Expected a reference of well-formed Unicode; got half of a surrogate pair.')
  }
}

function characters(text: string): number {
  return text.length <= MAX_REFERENCE ? text.length : Array.from(text).length
}

function invalidReference(detail: string): Problem {
  return new Problem('invalid_value', detail)
}

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
    throw invalidUrl(`Expected a URL of at most ${MAX_CALLBACK_URL} characters; got ${url.length}.`)
  }
  if (MENDED.test(url))
    throw invalidUrl('Expected a URL without white space, control character or backslash; got one.')
  const authority = START.exec(url)?.[1]
  if (authority === undefined || !URL.canParse(url)) {
    throw invalidUrl(`Expected ${URL_FORM}.`)
  }
  if (authority.includes('@')) throw invalidUrl('Expected a URL without user name and password.')
  const refused = refusal(url)
  if (refused !== undefined) {
    throw invalidUrl(
      'Expected a URL that the gateway may call, with a public host unless the operator allows its range ' +
        `(WIGWAG_CALLBACK_ALLOW); ${refused}.`,
    )
  }
}

function invalidUrl(detail: string): Problem {
  return new Problem('invalid_callback_url', detail)
}
