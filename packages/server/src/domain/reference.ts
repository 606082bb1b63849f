import { Problem } from './errors.ts'

const MAX_REFERENCE = 128

/** A client's own reference is stored and echoed as it came, so it only has to be short and well-formed. */
export function checkReference(reference: string): void {
  // Counting characters walks the text, so a text that cannot fit even as surrogate pairs is not counted.
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
