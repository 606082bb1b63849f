/** How a carrier writes ids in receipts, compared with those in its answers. */
export type IdForm = 'same' | 'hex-then-decimal' | 'decimal-then-hex'

/** An id has 64 characters at most, and more than 40 digits are no number. */
const LONGEST = 64
const LONGEST_DECIMAL = 40
const INVISIBLE = /[^!-~]/g

/** One spelling for all forms of an id: visible characters alone, without leading zeros, in lower case, and in hex where the carrier mixes. */
export function canonicalId(id: string, from: 'answer' | 'receipt', form: IdForm): string {
  const trimmed = id.replace(INVISIBLE, '').slice(0, LONGEST)
  const isDecimal = form !== 'same' && (from === 'receipt') === (form === 'hex-then-decimal')
  const readable = isDecimal && trimmed.length <= LONGEST_DECIMAL && /^\d+$/.test(trimmed)
  const spelt = readable ? BigInt(trimmed).toString(16) : trimmed
  return spelt.toLowerCase().replace(/^0+(?=.)/, '')
}

/** The id as the carrier gave it, but for case and leading zeros. */
export function idOfAnswer(canonical: string, form: IdForm): string {
  const isHex = form === 'decimal-then-hex' && /^[0-9a-f]+$/.test(canonical)
  return isHex ? BigInt(`0x${canonical}`).toString() : canonical
}
