import { MAX_SEGMENTS, type Segmentation, segmentsOf } from '@wigwag/contract'
import { Problem } from '../errors.ts'

export { beyondGsm, fillOf, MAX_SEGMENTS, partsOf, type Segmentation, segmentsOf } from '@wigwag/contract'

/** Returns how a text is segmented. Throws a problem when it cannot be sent. */
export function checkContent(content: string): Segmentation {
  if (content === '') throw new Problem('content_empty', 'Expected a text of at least 1 character; got none.')
  const result = segmentsOf(content)
  // GSM-7 has neither NUL nor surrogates, so only UCS-2 needs this check.
  if (result.encoding === 'UCS-2') checkCharacters(content)
  if (result.segments > MAX_SEGMENTS) {
    const because = result.unicodeCause === undefined ? '' : ` because of '${result.unicodeCause}'`
    const came = `${result.segments} segments of ${result.encoding}${because}`
    throw new Problem('content_too_long', `Expected at most ${MAX_SEGMENTS} segments; got ${came}.`)
  }
  return result
}

function checkCharacters(content: string): void {
  const nul = content.indexOf('\0')
  if (nul >= 0) throw new Problem('content_invalid', `Expected no NUL; got one at index ${nul}.`)
  if (!content.isWellFormed()) {
    throw new Problem('content_invalid', 'Expected well-formed Unicode; got half of a surrogate pair.')
  }
}
