import { Problem } from './errors.ts'

const MAX_REFERENCE = 128

/** Checks a client's reference. It is stored and echoed unchanged, so it only has to be short and well-formed. */
export function checkReference(reference: string): void {
  // Counting characters is slow, so skip it for a text too long even if all were surrogate pairs.
  if (reference.length > 2 * MAX_REFERENCE || characters(reference) > MAX_REFERENCE) {
    throw invalid(`Expected a reference of at most ${MAX_REFERENCE} characters; got a longer one.`)
  }
  if (reference.includes('\0')) throw invalid('Expected a reference without NUL; got one.')
  if (!reference.isWellFormed()) {
    throw invalid('Expected a reference of well-formed Unicode; got half of a surrogate pair.')
  }
}

function characters(text: string): number {
  return text.length <= MAX_REFERENCE ? text.length : Array.from(text).length
}

function invalid(detail: string): Problem {
  return new Problem('invalid_value', detail)
}
