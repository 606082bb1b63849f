import { isRecipientNumber } from '@wigwag/contract'
import { parsePhoneNumberFromString } from 'libphonenumber-js/core'
import metadata from 'libphonenumber-js/min/metadata'
import { Problem } from '../errors.ts'
import { isCountry, planOf } from './numbering-plan.ts'
import { dialled, groupsOf, isDialledAbroad, parseRecipient, plainNumber } from './phone.ts'

/**
 * The meaning of a number that somebody wrote: as it stands, or read as one of a country, which they are to be shown before
 * anything is sent to it; or why it is neither, with the number that was probably meant.
 */
export type Written =
  | { as: 'it stands' }
  | { as: 'national'; to: string }
  | { as: 'wrong'; why: string; meant?: string }

const AS_IT_STANDS: Written = { as: 'it stands' }
/** A long number in a spreadsheet's short form: `2.33241E+11`. */
const SHORTENED = /^\s*\d{1,3}(?:[.,]\d{0,20})?E\+?\d{1,3}\s*$/i
/** Longer than anybody writes a number. */
const LONGEST = 40

/** Reads a number without a country code as one of a country; of none where that is empty. Programs get no such help. */
export function readWritten(text: string, country: string): Written {
  if (text.trim().length > LONGEST) return AS_IT_STANDS
  if (SHORTENED.test(text)) return { as: 'wrong', why: shortened(text.trim()) }
  const digits = plainNumber(text)
  if (!isCountry(country) || !/^[0-9]+$/.test(digits)) return AS_IT_STANDS
  if (isDialledAbroad(text)) return dialledFrom(country, text.replace(/[^0-9]/g, ''), digits)
  const national = nationalOf(digits, country)
  const isWhole = isPossible(digits)
  if (national !== undefined && national === dialled(digits)) return AS_IT_STANDS
  if (national === undefined) return isWhole ? AS_IT_STANDS : { as: 'wrong', why: unlike(text, country) }
  if (!isWhole) return { as: 'national', to: `+${national}` }
  const why = `It may be ${shown(digits)}, or ${shown(national)} of ${nameOf(country)}: write it with a plus sign and its country code.`
  return { as: 'wrong', why, meant: `+${national}` }
}

/** After 00 comes the country code, but in some countries after more digits: 001 in Hong Kong, 0011 in Australia. */
function dialledFrom(country: string, dialled: string, digits: string): Written {
  if (dialled === digits || !isPossible(digits)) return AS_IT_STANDS
  const other = parsePhoneNumberFromString(
    dialled,
    { defaultCountry: country as 'GH', extract: false },
    metadata,
  )?.number.slice(1)
  if (other === undefined || other === digits || !isPossible(other)) return AS_IT_STANDS
  // Where nobody dials abroad with 00, it was read as one of the country.
  if (planOf(other)?.territories.some((one) => one.country === country)) return AS_IT_STANDS
  const why = `It may be ${shown(digits)}, or ${shown(other)} as it is dialled from ${nameOf(country)}: write it with a plus sign and its country code.`
  return { as: 'wrong', why }
}

/** A number as it is easiest to read: `+233 24 123 4567`. */
export function shown(number: string): string {
  return `+${groupsOf(number.replace('+', '')).join(' ')}`
}

/** The digits of a number of a country, with its country code; undefined where there can be none like it. */
function nationalOf(digits: string, country: string): string | undefined {
  const parsed = parsePhoneNumberFromString(
    digits,
    { defaultCountry: country as 'GH', extract: false },
    metadata,
  )
  const number = parsed?.number.slice(1)
  if (number === undefined || !parsed?.isPossible() || !isPossible(number)) return undefined
  // Some begin as one that is dialled abroad: 011 44 in the United States.
  return planOf(number)?.territories.some((one) => one.country === country) ? number : undefined
}

function isPossible(digits: string): boolean {
  if (!isRecipientNumber(digits)) return false
  try {
    parseRecipient(digits)
    return true
  } catch (error) {
    if (error instanceof Problem) return false
    throw error
  }
}

function shortened(text: string): string {
  return `A spreadsheet shortened this number to ${text}, and its last digits are gone. Format the column there as text, or as a number without decimals, see that the numbers are whole, and save the file again.`
}

function unlike(text: string, country: string): string {
  return `Expected a number of ${nameOf(country)}, or one with a plus sign and its country code; got ${JSON.stringify(text)}.`
}

const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'code' })

function nameOf(country: string): string {
  return names.of(country) ?? country
}
