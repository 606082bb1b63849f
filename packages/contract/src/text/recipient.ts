/** How a recipient's number is written. Whether there is such a number, only the gateway knows. */
export const RECIPIENT_FORM = '7 to 15 digits beginning with a country code'
export const EXPECTED_NUMBER = `Expected ${RECIPIENT_FORM}`

const DIGITS = /^[1-9][0-9]{6,14}$/

/** Whether a text is written as a number with its country code. */
export function isRecipientNumber(to: string): boolean {
  return DIGITS.test(to)
}

/** What is wrong with a text that is no number. */
export function wrongNumber(to: string): string {
  const came = JSON.stringify(to.length > 40 ? `${to.slice(0, 40)}…` : to)
  if (/^[+＋]/u.test(to)) return `${EXPECTED_NUMBER} and without the leading '+'; got ${came}.`
  if (/^[0-9]+[\s().\-/][0-9\s().\-/]*$/u.test(to))
    return `${EXPECTED_NUMBER} and without separators; got ${came}.`
  if (/^0[0-9]+$/.test(to)) return `${EXPECTED_NUMBER}, which is never 0; got ${came}.`
  return `${EXPECTED_NUMBER}; got ${came}.`
}
