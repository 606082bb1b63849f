import { EXPECTED_NUMBER, isRecipientNumber, recipientDigits, wrongNumber } from '@wigwag/contract'
import { parsePhoneNumberFromString } from 'libphonenumber-js/core'
import metadata from 'libphonenumber-js/min/metadata'
import { Problem } from '../errors.ts'
import { type Network, networkOf } from './networks.ts'
import { isPossibleLength, type NumberingPlan, planOf, territoryOf } from './numbering-plan.ts'

/** The meaning of a number. It is parsed once, where it is sent or read from the store, and carried from there. */
export interface Recipient {
  /** In E.164, without plus sign and national prefix, as carriers dial it. Clients get what they wrote. */
  readonly digits: string
  /**
   * ISO 3166 alpha-2, or `001` for numbers of no country. Where the digits do not decide between countries, the main one
   * of the calling code.
   */
  readonly country: string
  readonly network: Network | undefined
}

interface Located {
  digits: string
  country: string
  possible: boolean
}

/**
 * Accepts the numbers that libphonenumber calls possible. One with its national prefix, such as 233 0 24…, is also
 * possible.
 */
export function parseRecipient(written: string): Recipient {
  if (!isRecipientNumber(written)) throw new Problem('invalid_recipient', wrongNumber(written))
  const to = recipientDigits(written)
  const plan = planOf(to)
  if (!plan) throw new Problem('invalid_recipient', `${EXPECTED_NUMBER}; ${to} begins with none.`)
  const located = locate(plan, to)
  if (!located.possible) throw new Problem('invalid_recipient', wrongLength(plan, to))
  return recipientAt(located)
}

/** The recipient of a number that was accepted before. Of no country, and as it stands, where it would not be today. */
export function recipientOf(to: string): Recipient {
  const plan = planOf(to)
  return recipientAt(plan ? locate(plan, to) : { digits: to, country: '001' })
}

function recipientAt({ digits, country }: Pick<Located, 'digits' | 'country'>): Recipient {
  return { digits, country, network: networkOf(digits) }
}

/** The digits of an accepted number as carriers dial it. */
export function dialled(to: string): string {
  const plan = planOf(to)
  return plan ? locate(plan, to).digits : to
}

/** A phone's number in one spelling, by which it is searched and erased. */
export type Phone = string & { readonly __brand: 'Phone' }

/**
 * The phone that a number belongs to, the same with its national prefix and without. Without one prefix, the rest may
 * begin with another, so this goes on until nothing changes; more than five rounds were never seen. Other texts stay as
 * they are.
 */
export function phoneOf(number: string): Phone {
  let phone = recipientDigits(number)
  for (let round = 0; round < 8 && isRecipientNumber(phone); round++) {
    const next = dialled(phone)
    if (next === phone) break
    phone = next
  }
  return phone as Phone
}

/**
 * The last digits of a phone's number, with which every spelling of it ends. No more than five: on Norfolk Island, a digit
 * may be left out before them.
 */
export function lastDigitsOf(phone: Phone): string {
  return phone.slice(planOf(phone)?.callingCode.length ?? 0).slice(-5)
}

/** A number's country code and the rest in groups, as it is easiest to read: 233 24 123 4567. Any other text is one group. */
export function groupsOf(number: string): string[] {
  if (!/^[0-9]+$/.test(number)) return [number]
  const { callingCode = '' } = planOf(number) ?? {}
  const national = number.slice(callingCode.length)
  const last = national.slice(-4)
  const before = national.slice(0, -4).match(/\d{1,3}(?=(?:\d{3})*$)/g) ?? []
  return [callingCode, ...before, last].filter((group) => group !== '')
}

/** A number without its last digits: `2332412••••` is a phone of a country and often of a network, and nobody's. */
export function partOfNumber(number: string): string {
  return `${number.replace(/\D/g, '').slice(0, -5)}••••`
}

/** White space, invisible marks, and what people put between the groups of a number. */
const BETWEEN_DIGITS = /[\s\p{Cf}\p{Pd}()./'’]+/gu
/** How a number begins when it is dialled from another country. */
const DIALLED_ABROAD = /^(?:[+＋]|00)/

/** A number as people write it, without what a machine doesn't need: `+233 (24) 123-4567` becomes `233241234567`. */
export function plainNumber(written: string): string {
  return written.replace(BETWEEN_DIGITS, '').replace(DIALLED_ABROAD, '')
}

/** Whether a number is written as it is dialled from another country, with its country code. */
export function isDialledAbroad(written: string): boolean {
  return DIALLED_ABROAD.test(written.replace(BETWEEN_DIGITS, ''))
}

function locate(plan: NumberingPlan, digits: string): Located {
  const national = digits.slice(plan.callingCode.length)
  if (hasTrunkPrefix(plan, national)) return locateByParsing(plan, digits)
  const territory = territoryOf(plan, national) ?? plan.main
  return { digits, country: territory.country, possible: isPossibleLength(territory, national) }
}

/** Ignores an empty match: in some plans the prefix pattern is optional. */
function hasTrunkPrefix(plan: NumberingPlan, national: string): boolean {
  if (!plan.trunkPrefix) return false
  const match = plan.trunkPrefix.exec(national)
  return match !== null && match[0] !== ''
}

/** The slow path, for the few numbers whose national part may start with a trunk prefix. */
function locateByParsing(plan: NumberingPlan, digits: string): Located {
  const parsed = parsePhoneNumberFromString(`+${digits}`, metadata)
  return {
    digits: parsed?.number.slice(1) ?? digits,
    country: parsed?.country ?? plan.main.country,
    possible: parsed?.isPossible() ?? false,
  }
}

function wrongLength(plan: NumberingPlan, to: string): string {
  const country = plan.main.country === '001' ? '' : ` of ${plan.main.country}`
  const got = to.length - plan.callingCode.length
  return `Expected a possible number${country}; no number there has ${got} digits after ${plan.callingCode}, as ${to} has.`
}
