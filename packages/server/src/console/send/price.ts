import type { Micros } from '@wigwag/contract'
import { segmentsInWords } from '../../domain/text/text-count.ts'
import { countryName } from '../../pages/widgets/country.ts'
import { amountOf } from '../../pages/widgets/money.ts'
import type { Estimate } from '../../sending/index.ts'

/** The price of a message as the page and its script show it. */
export interface PriceWords {
  /** Also on the button. */
  cost: string
  /** What is left afterwards, or how much is missing. */
  left: string
  /** Where the number is, and what a segment costs there. */
  place: string
  segments: string
}

export function priceWords(
  { price, unitPrice, currency, ...estimate }: Estimate,
  available: Micros,
): PriceWords {
  const left = available - price
  const where = [estimate.network, countryName(estimate.country)].filter((part) => part !== undefined)
  return {
    cost: `${currency} ${amountOf(price)}`,
    left: left < 0 ? `${currency} ${amountOf(-left)} is missing` : `Leaves ${currency} ${amountOf(left)}`,
    place: `${where.join(', ')}, ${currency} ${amountOf(unitPrice)} a segment`,
    segments: segmentsInWords(estimate.segments),
  }
}
