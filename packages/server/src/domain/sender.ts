import { SENDER_FORM } from '@wigwag/contract'
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
