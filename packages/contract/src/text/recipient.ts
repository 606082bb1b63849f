/** How a recipient's number is written. Only the gateway knows whether such a number exists. */
export const RECIPIENT_FORM = '7 to 15 digits beginning with a country code'
export const EXPECTED_NUMBER = `Expected ${RECIPIENT_FORM}`

/** The pattern of `RecipientNumber` in the document. Non-breaking blanks and hyphens are allowed between digits too. */
const WRITTEN = /^\+?[1-9](?:[ \u00A0\u202F\u2010\u2011-]?[0-9]){6,14}$/

/** Whether a text is written as a number with its country code: in digits, or as `+233 24 123 4567`. */
export function isRecipientNumber(to: string): boolean {
  return WRITTEN.test(to)
}

/** A number as it is stored, answered and called back: `+233 24-123 4567` is 233241234567. Any other text stays as it is. */
export function recipientDigits(to: string): string {
  return WRITTEN.test(to) ? to.replace(/\D/g, '') : to
}

/** Explains why a text is not a recipient's number. */
export function wrongNumber(to: string): string {
  const came = JSON.stringify(to.length > 40 ? `${to.slice(0, 40)}…` : to)
  if (/^\+?0/.test(to)) return `${EXPECTED_NUMBER}, which is never 0; got ${came}.`
  if (isRecipientNumber(to.replace(/\D/g, '')) && /^[\s+＋\p{P}\p{Cf}0-9]+$/u.test(to))
    return `${EXPECTED_NUMBER}, with nothing but a leading + and single blanks or hyphens between them; got ${came}.`
  return `${EXPECTED_NUMBER}; got ${came}.`
}
