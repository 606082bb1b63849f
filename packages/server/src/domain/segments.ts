import { Problem } from './errors.ts'

/** How a text is sent: its encoding, the number of charged segments, and the character that ruled out GSM-7. */
export interface Segmentation {
  encoding: 'GSM-7' | 'UCS-2'
  segments: number
  /** The first character that GSM-7 cannot carry; absent for GSM-7. */
  unicodeCause?: string
}

export const MAX_SEGMENTS = 10

/** 3GPP TS 23.038 §6.2.1, without the escape code: one septet each. */
const DEFAULT_ALPHABET =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?' +
  '¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà'
/** 3GPP TS 23.038 §6.2.1.1: an escape and a code, two septets that must not be split. */
const EXTENSION_TABLE = '\f^{}\\[~]|€'

/** Septets by UTF-16 code unit; 0 if GSM-7 cannot carry it. A flat table for speed: every send reads it. */
const SEPTETS = new Uint8Array(0x10000)
for (const character of DEFAULT_ALPHABET) SEPTETS[character.charCodeAt(0)] = 1
for (const character of EXTENSION_TABLE) SEPTETS[character.charCodeAt(0)] = 2

const GSM_SINGLE = 160
const GSM_PART = 153
const UCS2_SINGLE = 70
const UCS2_PART = 67

/** Splits the text into segments as a phone network would. An empty text has none. */
export function segmentsOf(content: string): Segmentation {
  let septets = 0
  for (let i = 0; i < content.length; i++) {
    const width = SEPTETS[content.charCodeAt(i)]
    if (!width) return unicodeSegmentation(content, i)
    septets += width
  }
  return { encoding: 'GSM-7', segments: gsmSegments(content, septets) }
}

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

function gsmSegments(content: string, septets: number): number {
  if (septets <= GSM_SINGLE) return septets === 0 ? 0 : 1
  if (septets === content.length) return Math.ceil(septets / GSM_PART)
  let segments = 1
  let used = 0
  for (let i = 0; i < content.length; i++) {
    const width = SEPTETS[content.charCodeAt(i)] ?? 0
    if (used + width > GSM_PART) {
      segments++
      used = 0
    }
    used += width
  }
  return segments
}

function unicodeSegmentation(content: string, causeAt: number): Segmentation {
  const unicodeCause = String.fromCodePoint(content.codePointAt(causeAt) ?? 0)
  return { encoding: 'UCS-2', segments: unicodeSegments(content), unicodeCause }
}

function unicodeSegments(content: string): number {
  if (content.length <= UCS2_SINGLE) return 1
  let segments = 0
  let start = 0
  while (start < content.length) {
    segments++
    start += UCS2_PART
    if (splitsPair(content, start)) start--
  }
  return segments
}

/** Whether a cut before this index would split a surrogate pair. */
function splitsPair(content: string, index: number): boolean {
  return isHighSurrogate(content.charCodeAt(index - 1)) && isLowSurrogate(content.charCodeAt(index))
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff
}
