import { type Segmentation, segmentsOf, wrongText } from '@wigwag/contract'
import { Problem } from '../errors.ts'

export { beyondGsm, fillOf, MAX_SEGMENTS, partsOf, type Segmentation, segmentsOf } from '@wigwag/contract'

/** Returns how a text is segmented. Throws a problem when it cannot be sent. */
export function checkContent(content: string): Segmentation {
  const segmentation = segmentsOf(content)
  const wrong = wrongText(content, segmentation)
  if (wrong) throw new Problem(wrong.code, wrong.detail)
  return segmentation
}
