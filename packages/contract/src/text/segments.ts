import { GSM_ALPHABET, GSM_ESCAPE, GSM_EXTENSION } from './gsm-alphabet.ts'

/** How a text is sent: its encoding, the number of charged segments, and the character that ruled out GSM-7. */
export interface Segmentation {
  encoding: 'GSM-7' | 'UCS-2'
  segments: number
  /** The first character that GSM-7 cannot carry; absent for GSM-7. */
  unicodeCause?: string
}

export const MAX_SEGMENTS = 10

/** Septets by UTF-16 code unit; 0 if GSM-7 cannot carry it. A flat table for speed: every send reads it. */
const SEPTETS = new Uint8Array(0x10000)
for (const character of GSM_ALPHABET) SEPTETS[character.charCodeAt(0)] = 1
for (const character of GSM_EXTENSION.values()) SEPTETS[character.charCodeAt(0)] = 2
SEPTETS[GSM_ESCAPE] = 0

const GSM_SINGLE = 160
const GSM_PART = 153
const UCS2_SINGLE = 70
const UCS2_PART = 67

/** Why a text can't be sent. */
export interface WrongText {
  code: 'content_empty' | 'content_too_long' | 'content_invalid'
  detail: string
}

/** Why a text can't be sent; undefined if it can. `segmentation` is its own. */
export function wrongText(content: string, segmentation: Segmentation): WrongText | undefined {
  const { encoding, segments, unicodeCause } = segmentation
  if (content === '')
    return { code: 'content_empty', detail: 'Expected a text of at least 1 character; got none.' }
  // GSM-7 has neither NUL nor surrogates, so only UCS-2 needs this check.
  const nul = encoding === 'UCS-2' ? content.indexOf('\0') : -1
  if (nul >= 0) return { code: 'content_invalid', detail: `Expected no NUL; got one at index ${nul}.` }
  if (encoding === 'UCS-2' && /\p{Surrogate}/u.test(content))
    return {
      code: 'content_invalid',
      detail: 'Expected well-formed Unicode; got half of a surrogate pair.',
    }
  if (segments <= MAX_SEGMENTS) return undefined
  const because = unicodeCause === undefined ? '' : ` because of '${unicodeCause}'`
  const came = `${segments} segments of ${encoding}${because}`
  return { code: 'content_too_long', detail: `Expected at most ${MAX_SEGMENTS} segments; got ${came}.` }
}

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

/** Cuts the text into as many parts as it has segments. A text of GSM-7 may also be cut as UCS-2. */
export function partsOf(content: string, encoding: Segmentation['encoding']): string[] {
  const cuts = encoding === 'GSM-7' ? gsmCuts(content) : ucs2Cuts(content)
  return cuts.map((start, index) => content.slice(start, cuts[index + 1]))
}

/** How much of its segments a text fills: septets of GSM-7, or code units of UCS-2. */
export function fillOf(
  content: string,
  { encoding, segments }: Segmentation,
): { used: number; room: number } {
  const isGsm = encoding === 'GSM-7'
  const room = isGsm ? ([GSM_SINGLE, GSM_PART] as const) : ([UCS2_SINGLE, UCS2_PART] as const)
  const used = isGsm ? septetsOf(content) : content.length
  return { used, room: segments > 1 ? segments * room[1] : room[0] }
}

/** Every character that GSM-7 cannot carry, once each. */
export function beyondGsm(content: string): string[] {
  return [...new Set(content)].filter((character) => !SEPTETS[character.charCodeAt(0)])
}

function septetsOf(content: string): number {
  let septets = 0
  for (let i = 0; i < content.length; i++) septets += SEPTETS[content.charCodeAt(i)] ?? 0
  return septets
}

function gsmSegments(content: string, septets: number): number {
  if (septets <= GSM_SINGLE) return septets === 0 ? 0 : 1
  if (septets === content.length) return Math.ceil(septets / GSM_PART)
  return gsmCuts(content).length
}

/** Where the parts of a GSM-7 text begin. */
function gsmCuts(content: string): number[] {
  const cuts = [0]
  let used = 0
  let septets = 0
  for (let i = 0; i < content.length; i++) {
    const width = SEPTETS[content.charCodeAt(i)] ?? 0
    if (used + width > GSM_PART) {
      cuts.push(i)
      used = 0
    }
    used += width
    septets += width
  }
  return septets <= GSM_SINGLE ? [0] : cuts
}

function unicodeSegmentation(content: string, causeAt: number): Segmentation {
  const unicodeCause = String.fromCodePoint(content.codePointAt(causeAt) ?? 0)
  return { encoding: 'UCS-2', segments: ucs2Cuts(content).length, unicodeCause }
}

/** Where the parts of a UCS-2 text begin. */
function ucs2Cuts(content: string): number[] {
  if (content.length <= UCS2_SINGLE) return [0]
  const cuts: number[] = []
  let start = 0
  while (start < content.length) {
    cuts.push(start)
    start += UCS2_PART
    if (splitsPair(content, start)) start--
  }
  return cuts
}

/** Whether a cut before this index would split a surrogate pair: only a pair is a code point beyond 16 bits. */
function splitsPair(content: string, index: number): boolean {
  return (content.codePointAt(index - 1) ?? 0) > 0xffff
}
