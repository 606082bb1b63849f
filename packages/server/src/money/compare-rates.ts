import type { Micros } from '@wigwag/contract'
import type { Rate } from '../domain/money/rates.ts'

/** A destination whose price differs between two lists. */
export interface RateChange extends Omit<Rate, 'price'> {
  /** Undefined where the first list has no price. */
  before: Micros | undefined
  /** Undefined where the second list has none. */
  after: Micros | undefined
}

/** The destinations that two price lists do not agree about, by currency, country and network. */
export function compareRates(before: readonly Rate[], after: readonly Rate[]): RateChange[] {
  const changes = new Map<string, RateChange>()
  for (const { price, ...place } of before) {
    changes.set(placeOf(place), { ...place, before: price, after: undefined })
  }
  for (const { price, ...place } of after) {
    const earlier = changes.get(placeOf(place))
    changes.set(placeOf(place), { ...place, before: earlier?.before, after: price })
  }
  return [...changes]
    .filter(([, { before, after }]) => before !== after)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, change]) => change)
}

function placeOf({ currency, country, mcc = '', mnc = '' }: Omit<Rate, 'price'>): string {
  return [currency, country, mcc, mnc].join()
}
