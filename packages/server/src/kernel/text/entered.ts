import { type Micros, parseAmount } from '@wigwag/contract'
import { CURRENCY_RULE, isCurrency } from '../money/currencies.ts'
import { parseRecipient, plainNumber } from '../phone/phone.ts'

/** Checks text that people enter, in a command or on a page. Errors say what was expected. */

const EMAIL = /^[^\s\p{Cc}@"<>]+@[^\s\p{Cc}@"<>]+$/u
const LONGEST_EMAIL = 254
const LONGEST_NAME = 100
const LONGEST_REASON = 500

export const EMAIL_RULE = 'Expected an e-mail address, such as ops@acme.example.'

/** The length is checked first, so that a longer text costs nothing. */
export function isEmail(text: string): boolean {
  return text.length <= LONGEST_EMAIL && EMAIL.test(text)
}

export function enteredEmail(text: string): string {
  return isEmail(text) ? text : refuse(EMAIL_RULE)
}

export function enteredName(text: string): string {
  return lineOf(text, LONGEST_NAME) ?? refuse(`Expected a name of 1 to ${LONGEST_NAME} characters.`)
}

export function enteredCurrency(text: string): string {
  return isCurrency(text) ? text : refuse(`Expected ${CURRENCY_RULE}.`)
}

/** An operator's reference for an entry of the ledger. */
export function enteredReference(text: string): string {
  return lineOf(text, LONGEST_NAME) ?? refuse(`Expected 1 to ${LONGEST_NAME} characters.`)
}

/** Why an operator does something. */
export function enteredReason(text: string): string {
  return lineOf(text, LONGEST_REASON) ?? refuse(`Expected 1 to ${LONGEST_REASON} characters on one line.`)
}

/** A reason that may be left out. */
export function enteredReasonOrNone(text: string): string | undefined {
  return text.trim() === '' ? undefined : enteredReason(text)
}

export function enteredAmountAboveZero(text: string): Micros {
  const amount = parseAmount(text)
  return amount > 0 ? amount : refuse('Expected an amount above zero.')
}

/** A number to which a message could go, in digits. */
export function enteredRecipient(text: string): string {
  return parseRecipient(plainNumber(text)).digits
}

function lineOf(text: string, longest: number): string | undefined {
  const line = text.trim()
  return line !== '' && line.length <= longest && !/\p{Cc}/u.test(line) ? line : undefined
}

function refuse(text: string): never {
  throw new Error(text)
}
