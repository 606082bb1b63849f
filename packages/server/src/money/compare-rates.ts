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

export interface ChangeCounts {
  added: number
  removed: number
  /** Those that are dearer or cheaper. */
  changed: number
  dearer: number
  cheaper: number
}

export function countChanges(changes: readonly RateChange[]): ChangeCounts {
  const counts: ChangeCounts = { added: 0, removed: 0, changed: 0, dearer: 0, cheaper: 0 }
  for (const { before, after } of changes) {
    if (before === undefined) counts.added++
    else if (after === undefined) counts.removed++
    else {
      counts.changed++
      if (after > before) counts.dearer++
      else counts.cheaper++
    }
  }
  return counts
}

function placeOf({ currency, country, mcc = '', mnc = '' }: Omit<Rate, 'price'>): string {
  return [currency, country, mcc, mnc].join()
}
