/**
 * References: carriers' names for messages. A reference is kept and compared as its carrier wrote it. Some
 * carriers write one in two ways, in an answer and in its receipt: in capitals or not, with zeros before it,
 * in decimal or in hexadecimal.
 */

/** The same for references that differ only in capitals and in zeros before them. */
export function foldedRef(ref: string): string {
  return ref.toLowerCase().replace(/^0+(?=.)/, '')
}

/** Shorter numbers have too much in common in decimal and in hexadecimal. */
const LEAST_DIGITS = 7
const MOST_DIGITS = 40

/** The folded references that may be meant by one: itself and, of a number, itself in the other number system. */
export function foldsOf(ref: string): string[] {
  const folded = foldedRef(ref)
  const others = folded.length < LEAST_DIGITS ? [] : [hexOf(folded), decimalOf(folded)]
  return [...new Set([folded, ...others.flatMap((other) => other ?? [])])]
}

/** How long carriers make numbers by zeros before them. */
const LENGTHS = [0, 8, 10, 16, 20]

/** The usual ways to write a reference, as it was given first. */
export function spellingsOf(ref: string): string[] {
  const padded = foldsOf(ref).flatMap((fold) => LENGTHS.map((length) => fold.padStart(length, '0')))
  return [...new Set([ref, ...padded.flatMap((one) => [one, one.toUpperCase()])])]
}

/** A decimal number in hexadecimal; undefined for another text. */
export function hexOf(decimal: string): string | undefined {
  return isNumber(decimal, /^\d+$/) ? BigInt(decimal).toString(16) : undefined
}

/** A hexadecimal number in decimal; undefined for another text. */
export function decimalOf(hex: string): string | undefined {
  return isNumber(hex, /^[\da-f]+$/i) ? BigInt(`0x${hex}`).toString() : undefined
}

function isNumber(text: string, digits: RegExp): boolean {
  return text.length <= MOST_DIGITS && digits.test(text)
}
