import { type Micros, micros } from '@wigwag/contract'
import { Problem } from '../domain/errors.ts'
import { priceFor, type RateTable } from '../domain/money/rates.ts'
import { parseRecipient } from '../domain/phone/phone.ts'
import type { Segmentation } from '../domain/text/segments.ts'

/** The price of one message and its parts. Used for both estimates and charges, so that they cannot differ. */
export interface Price {
  country: string
  network: string | undefined
  unitPrice: Micros
  price: Micros
}

/** The price of a segmented text to one recipient, or the problem when it cannot be sent there. */
export function priceOf(
  to: string,
  { segments }: Segmentation,
  currency: string,
  rates: RateTable,
): Price | Problem {
  try {
    const quote = priceFor(rates, parseRecipient(to).recipient, currency)
    if (!quote) return new Problem('no_rate', `There is no rate in ${currency} for ${to}.`)
    const { country, network, unitPrice } = quote
    return { country, network, unitPrice, price: micros(unitPrice * segments) }
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
}
