/** A provider's words go to the store and to clients only in these forms. */

const REFERENCE = /^[!-~]{1,255}$/
const LONGEST_REASON = 200
const CONTROL = /\p{Cc}/gu

/**
 * The provider's reference: visible ASCII characters without spaces, at most 255. Undefined when it is anything else.
 */
export function referenceOf(text: string | undefined): string | undefined {
  return text !== undefined && REFERENCE.test(text) ? text : undefined
}

/** A provider's words without control characters and secrets, cut to 200 code points. */
export function reasonOf(text: string, blank: Blank): string {
  const visible = text.toWellFormed().replace(CONTROL, '')
  // Before they are cut: a part of a secret could be left at the end.
  return [...blank(visible)].slice(0, LONGEST_REASON).join('')
}

/** Takes what is secret out of a text. */
export type Blank = (text: string) => string

/** Shorter parts are found in texts that repeat nothing. */
const SHORTEST_PART = 6

/**
 * Blanks secrets in all the ways in which a provider may repeat what it was sent: as they are, escaped for an address,
 * for JSON or for HTML, also twice, in hexadecimal, and within anything that is base64.
 */
export function blanking(secrets: readonly string[]): Blank {
  // The longest first, because a shorter one may be a part of it.
  const given = secrets.filter((secret) => secret !== '').sort((a, b) => b.length - a.length)
  if (given.length === 0) return (text) => text
  const pattern = new RegExp(given.flatMap(formsOf).join('|'), 'gi')
  return (text) => text.replace(pattern, '…')
}

function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret)
  const parts = [bytes.toString('hex'), ...[0, 1, 2].map((before) => base64Of(bytes, before))]
  return [
    [...secret].map(characterOf).join(''),
    ...parts.filter(({ length }) => length >= SHORTEST_PART).map(withSigns),
  ]
}

const NAMED: Readonly<Record<string, string>> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": 'apos' }

/** A character with its escapes. How often they may be repeated is bounded: a pattern must not take long. */
function characterOf(character: string): string {
  const code = character.codePointAt(0) ?? 0
  const percent = [...Buffer.from(character)].map(
    (byte) => `%(?:25){0,3}${byte.toString(16).padStart(2, '0')}`,
  )
  const json = [...Array(character.length).keys()].map(
    (at) => `\\\\{1,4}u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
  )
  const html = [`#0{0,4}${code}`, `#x0{0,4}${code.toString(16)}`, ...[NAMED[character] ?? []].flat()]
  return `(?:${[
    `\\\\{0,4}${literal(character)}`,
    percent.join(''),
    json.join(''),
    `&(?:amp;){0,2}(?:${html.join('|')});`,
    ...(character === ' ' ? ['\\+'] : []),
  ].join('|')})`
}

/** The characters of base64 that depend on these bytes alone, when so many others come before them. */
function base64Of(bytes: Buffer, before: number): string {
  const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64')
  return text.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6))
}

/** The two signs of base64, in either alphabet and in an address. */
function withSigns(part: string): string {
  return part.replaceAll(/[+/]/g, (sign) => (sign === '+' ? '(?:\\+|-|%2b)' : '(?:\\\\?/|_|%2f)'))
}

function literal(character: string): string {
  return character.replace(/[\\^$.*+?()[\]{}|/]/, '\\$&')
}
