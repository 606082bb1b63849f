import {
  asSentence,
  isRecipientNumber,
  isWebUrl,
  type Micros,
  parseAmount,
  recipientDigits,
  shownUrl,
} from '@wigwag/contract'
import { InvalidArgumentError } from 'commander'
import { type EpochMs, epochMs, isTicket, type Ticket } from '../kernel/ids.ts'
import { isCountry } from '../kernel/phone/numbering-plan.ts'
import { checkReference, checkSender } from '../kernel/sent-fields.ts'
import {
  enteredAmountAboveZero,
  enteredCurrency,
  enteredEmail,
  enteredName,
  enteredReason,
  enteredRecipient,
  enteredReference,
} from '../kernel/text/entered.ts'
import { readSince, readUntil, type Since } from '../kernel/time/spans.ts'
import { Failed } from './terminal.ts'

export function amount(text: string): Micros {
  return orInvalid(() => parseAmount(text))
}

export function amountAboveZero(text: string): Micros {
  return orInvalid(() => enteredAmountAboveZero(text))
}

export function senderId(text: string): string {
  orInvalid(() => checkSender(text))
  return text
}

/** Parses an option that may be given several times. */
export function senderIds(text: string, before: readonly string[] = []): string[] {
  return before.includes(text) ? [...before] : [...before, senderId(text)]
}

export function currency(text: string): string {
  return orInvalid(() => enteredCurrency(text))
}

export function country(text: string): string {
  if (isCountry(text.toUpperCase())) return text.toUpperCase()
  throw new InvalidArgumentError('Expected the two letters of a country, such as GH.')
}

export function email(text: string): string {
  return orInvalid(() => enteredEmail(text))
}

export function personName(text: string): string {
  return orInvalid(() => enteredName(text))
}

export function webUrl(text: string): string {
  if (isWebUrl(text)) return text
  const expected = 'Expected a URL such as http://127.0.0.1:8080, without user name and password'
  // commander prints the text of an invalid argument, and this one may contain a password.
  if (text.includes('@')) throw new Failed(`${expected}; got ${shownUrl(text)}.`, 2)
  throw new InvalidArgumentError(`${expected}.`)
}

export function port(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text)
  throw new InvalidArgumentError('Expected a port from 0 to 65535.')
}

export function seconds(text: string): number {
  if (/^\d{1,6}(\.\d{1,3})?$/.test(text) && Number(text) > 0) return Number(text)
  throw new InvalidArgumentError('Expected a number of seconds above zero, such as 60.')
}

export function milliseconds(text: string): number {
  if (/^\d{1,7}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('Expected whole milliseconds, such as 500.')
}

export function perSecond(text: string): number {
  if (/^\d{1,6}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('Expected a whole number, such as 10; 0 for no limit.')
}

export function percent(text: string): number {
  if (/^\d{1,3}$/.test(text) && Number(text) <= 100) return Number(text)
  throw new InvalidArgumentError('Expected a whole number from 0 to 100.')
}

/** A number to which a message could go, in digits. */
export function recipient(text: string): string {
  return orInvalid(() => enteredRecipient(text))
}

/** A number of any country, also one to which nothing can be sent any more. */
export function phoneNumber(text: string): string {
  if (isRecipientNumber(text)) return recipientDigits(text)
  throw new InvalidArgumentError('Expected a number with its country code, such as 233241234567.')
}

/** Tickets are stored in lower case. */
export function ticket(text: string): Ticket {
  const lower = text.toLowerCase()
  if (isTicket(lower)) return lower
  throw new InvalidArgumentError('Expected a ticket, such as 01a2029e-8ad2-75bc-9683-eabb224e9afc.')
}

/** The reference that a client gave a message. */
export function clientReference(text: string): string {
  orInvalid(() => checkReference(text))
  if (text !== '') return text
  throw new InvalidArgumentError('Expected a reference, as the send had it.')
}

/** The reference that a carrier gave a message. */
export function carrierReference(text: string): string {
  if (text !== '' && !text.includes('\0')) return text
  throw new InvalidArgumentError('Expected a reference, as the carrier wrote it.')
}

/** A day, as its first moment in UTC. */
export function day(text: string): EpochMs {
  const at = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN
  // A day that does not exist, such as February 30, moves to another one on some engines.
  if (at >= 0 && new Date(at).toISOString().startsWith(text)) return epochMs(at)
  throw new InvalidArgumentError('Expected a day such as 2026-01-31.')
}

/** The reference that an operator gave a ledger entry. */
export function reference(text: string): string {
  return orInvalid(() => enteredReference(text))
}

/** Why an operator does something. */
export function reason(text: string): string {
  return orInvalid(() => enteredReason(text))
}

export function since(text: string): Since {
  const read = readSince(text)
  if (read) return read
  throw new InvalidArgumentError('Expected 30m, 6h, 2d or 2w, a day such as 2026-01-31, or a time in UTC.')
}

/** The end of a period, which has all of a day. */
export function until(text: string): Since {
  const read = readUntil(text)
  if (read) return read
  throw new InvalidArgumentError('Expected 30m, 6h, 2d or 2w, a day such as 2026-01-31, or a time in UTC.')
}

export function wholeNumber(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('Expected a whole number above zero, such as 100.')
}

export function idempotencyKey(text: string): string {
  if (/^[!-~]{1,255}$/.test(text)) return text
  throw new InvalidArgumentError('Expected 1 to 255 visible ASCII characters.')
}

/** Turns a domain problem into a usage error of the command line. */
function orInvalid<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new InvalidArgumentError(asSentence(`${why.charAt(0).toUpperCase()}${why.slice(1)}`))
  }
}
