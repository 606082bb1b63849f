import { type Micros, MOST_MICROS, micros, microsOfSum, toDecimal } from '@wigwag/contract'
import { invalidFields, Problem } from '../kernel/errors.ts'
import { priceFor, type RateTable } from '../kernel/money/rates.ts'
import { money } from '../kernel/money/shown.ts'
import { parseRecipient, type Recipient } from '../kernel/phone/phone.ts'
import type { Segmentation } from '../kernel/text/segments.ts'

/** The price of one message and its parts. Used for both estimates and charges, so that they cannot differ. */
export interface Price {
  country: string
  network: string | undefined
  unitPrice: Micros
  price: Micros
  to: Recipient
}

/** The price of a segmented text to one recipient, or the problem when it cannot be sent there. */
export function priceOf(
  to: string,
  { segments }: Segmentation,
  currency: string,
  rates: RateTable,
): Price | Problem {
  try {
    const recipient = parseRecipient(to)
    const quote = priceFor(rates, recipient, currency)
    if (!quote) return new Problem('no_rate', `There is no rate in ${currency} for ${to}.`)
    const { country, network, unitPrice } = quote
    const price = unitPrice * segments
    if (price > MOST_MICROS) {
      const asked = `${segments} segments at ${money(unitPrice, currency)} each`
      return new Problem(
        'invalid_value',
        `${beyondAnyWallet('message', currency)}, got ${asked}. Send a shorter text.`,
      )
    }
    return { country, network, unitPrice, price: micros(price), to: recipient }
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
}

/** The sum of the prices of one send. Throws the problem when no wallet could ever hold it. */
export function totalPrice(total: number, currency: string): Micros {
  if (total <= MOST_MICROS) return micros(total)
  const detail = `${beyondAnyWallet('send', currency)}, got ${Math.floor(toDecimal(microsOfSum(total)))}. Send to fewer at a time.`
  throw invalidFields([{ pointer: '/Recipients', code: 'invalid_value', detail }])
}

function beyondAnyWallet(what: string, currency: string): string {
  return `Expected a price of at most ${money(MOST_MICROS, currency)} for a ${what}`
}
