import { segmentsOf } from '@wigwag/contract/segments'

/**
 * How a text is sent, and how many segments are charged for it.
 * @example
 * import { countSegments, type SegmentCount } from '@wigwag/sdk/segments'
 * const count: SegmentCount = countSegments('Price: 5 € – today')
 * if (count.encoding === 'UCS-2') console.log('70 characters a segment because of', count.unicodeCause)
 */
export interface SegmentCount {
  encoding: 'GSM-7' | 'UCS-2'
  /** At most 10 can be sent. None for an empty text. */
  segments: number
  /** The first character that GSM-7 cannot carry; absent for GSM-7. */
  unicodeCause?: string
}

/**
 * Counts the segments of a text, with the function by which the gateway charges.
 * @example
 * import { countSegments } from '@wigwag/sdk/segments'
 * console.log(countSegments('Your order 1042 is on its way.').segments) // 1
 */
export function countSegments(text: string): SegmentCount {
  return segmentsOf(text)
}
