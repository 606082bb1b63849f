import { beyondGsm, fillOf, type Segmentation, segmentsOf, wrongText } from '@wigwag/contract'
import { Problem } from '../errors.ts'

export { beyondGsm, fillOf, MAX_SEGMENTS, partsOf, type Segmentation, segmentsOf } from '@wigwag/contract'

/** Returns how a text is segmented. Throws a problem when it cannot be sent. */
export function checkContent(content: string): Segmentation {
  const segmentation = segmentsOf(content)
  const wrong = wrongText(content, segmentation)
  if (wrong) throw new Problem(wrong.code, wrong.detail)
  return segmentation
}

/** The size of a text, in words: for the page, and for the script that counts while a person types. */
export interface TextCount {
  segments: string
  characters: string
  encoding: string
  /** Why it is not GSM-7, and what that costs; absent for GSM-7. */
  cause?: { what: string; effect: string }
}

export function countText(content: string): TextCount {
  const segmentation = segmentsOf(content)
  const { encoding, segments } = segmentation
  const { used, room } = fillOf(content, segmentation)
  const count = {
    segments: segmentsInWords(segments),
    characters: `${used.toLocaleString('en')} of ${room.toLocaleString('en')} characters`,
    encoding,
  }
  return encoding === 'GSM-7' ? count : { ...count, cause: causeOf(content, segments) }
}

export function segmentsInWords(segments: number): string {
  return segments === 1 ? '1 segment' : `${segments.toLocaleString('en')} segments`
}

function causeOf(content: string, segments: number): NonNullable<TextCount['cause']> {
  const causes = beyondGsm(content)
  const [first = ''] = causes
  const others = causes.length - 1
  const without = segmentsOf(causes.reduce((text, cause) => text.replaceAll(cause, ''), content)).segments
  const what =
    others === 0
      ? `“${first}” is not in the GSM alphabet.`
      : `“${first}” and ${others} other ${others === 1 ? 'character' : 'characters'} are not in the GSM alphabet.`
  const it = others === 0 ? 'it' : 'them'
  const costs = without > 0 && without < segments
  const effect = costs
    ? `With ${it} this text takes ${segmentsInWords(segments)}, without ${it} ${without}.`
    : `With ${it} a segment holds 70 characters, without ${it} 160.`
  return { what, effect }
}
