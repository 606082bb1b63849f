import type { Blank } from './blank-secrets.ts'

/** What a provider says goes to the store and to clients: only in these forms. */

const REFERENCE = /^[!-~]{1,255}$/
const LONGEST_REASON = 200
const CONTROL = /\p{Cc}/gu

/**
 * The provider's reference: visible ASCII characters without spaces, at most 255. Undefined when it is anything else.
 */
export function referenceOf(text: string | undefined): string | undefined {
  return text !== undefined && REFERENCE.test(text) ? text : undefined
}

/** A provider's words without control characters and secrets, cut to 200 code points. */
export function reasonOf(text: string, blank: Blank): string {
  const visible = text.toWellFormed().replace(CONTROL, '')
  // Before they are cut: a part of a secret could be left at the end.
  return [...blank(visible)].slice(0, LONGEST_REASON).join('')
}
