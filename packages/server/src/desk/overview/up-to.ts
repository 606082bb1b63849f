import { countOf } from '../../pages/count.ts'
import { MOST_COUNTED } from './read.ts'

/** `10,000+` where counting stopped. */
export function upTo(count: number): string {
  return count >= MOST_COUNTED ? `${countOf(MOST_COUNTED)}+` : countOf(count)
}
