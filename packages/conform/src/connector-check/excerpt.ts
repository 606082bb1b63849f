const TAGS = /<(script|style|title)\b.*?<\/\1\s*>|<[^>]*>/gis
/** Control characters, which a terminal may obey, and characters that hide or reorder the text around them. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Co}]/gu
/** In characters. */
const LONGEST = 120
/** Bounds the work on a long page. */
const LOOKED_AT = 20_000

/** The beginning of a stranger's text, at most `longest` characters, safe to print on one line of a terminal. */
export function excerpt(text: string, longest = LONGEST): string {
  const line = text.slice(0, LOOKED_AT).toWellFormed().replace(/\s+/gu, ' ').replace(INVISIBLE, '').trim()
  const characters = [...line]
  return characters.length <= longest ? line : `${characters.slice(0, longest).join('').trimEnd()}…`
}

/** The beginning of the text that a person would read on a page of HTML, with its title first. */
export function excerptOfPage(html: string): string {
  const title = /<title\b[^>]*>(.*?)<\/title/is.exec(html)?.[1] ?? ''
  return excerpt(`${title} ${html.slice(0, LOOKED_AT).replace(TAGS, ' ')}`)
}
