/**
 * A number that may be a code: 4 to 8 digits, or twice three with a hyphen or a blank between. It stands alone: parts of
 * a longer number, of an amount with a sign or decimals, of a date, a time or a word are none.
 */
const NUMBER = String.raw`(?<![\p{L}\d]|\d[-.,:/ ]|[+$€£¥₵₦] ?)(\d{3}[- ]\d{3}|\d{4,8})(?![\p{L}\d%]|[-.,:/ ]\d)`
const CALLED = String.raw`\b(?:code|pin|otp|passcode|password)\b`
/** Within one part of a sentence, without another number. */
const BETWEEN = String.raw`[^\d.,;:!?\n]*?`

const EACH = new RegExp(NUMBER, 'gu')
const SAID = [
  // "82913 is your Acme code", "use 82913 as your PIN"
  new RegExp(`${NUMBER} (?:is|as)\\b${BETWEEN}${CALLED}`, 'iu'),
  // "your code is 82913", "PIN: 4821", "code for Acme is 82913"
  new RegExp(`${CALLED}${BETWEEN}:?\\s*${NUMBER}`, 'iu'),
]

/**
 * The code in a text, in digits alone: the only number that may be one, or of several the one that the text calls so.
 * Undefined where that can't be told: a wrong code is worse than none.
 */
export function codeIn(text: string): string | undefined {
  const numbers = new Set([...text.matchAll(EACH)].map(([, number = '']) => digitsOf(number)))
  if (numbers.size <= 1) return [...numbers][0]
  for (const pattern of SAID) {
    const number = pattern.exec(text)?.[1]
    if (number !== undefined) return digitsOf(number)
  }
  return undefined
}

function digitsOf(number: string): string {
  return number.replace(/\D/g, '')
}
