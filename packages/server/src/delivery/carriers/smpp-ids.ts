import { decimalOf, hexOf } from '../../domain/carrier-reference.ts'

/** How a carrier writes ids in receipts, compared with those in its answers. */
export type IdForm = 'same' | 'hex-then-decimal' | 'decimal-then-hex'

const LONGEST = 64
const INVISIBLE = /[^!-~]/g

/** An id as its carrier wrote it, but for characters that can't be seen. */
export function idOfAnswer(id: string): string {
  return id.replace(INVISIBLE, '').slice(0, LONGEST)
}

/** The id of a receipt in the number system of its carrier's answers. */
export function idOfReceipt(id: string, form: IdForm): string {
  const written = idOfAnswer(id)
  if (form === 'hex-then-decimal') return hexOf(written) ?? written
  if (form === 'decimal-then-hex') return decimalOf(written) ?? written
  return written
}
