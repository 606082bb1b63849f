/** Control and format characters (the marks that reverse a line among them), line separators, variants of a character. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Variation_Selector}]/gu

/** Words of others for a person to read, on one line: `\u{202e}` in place of what a terminal or a page would obey. */
export function visible(text: string): string {
  return text.replace(INVISIBLE, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`)
}

/** The same for a text of several lines, which stay lines. */
export function visibleLines(text: string): string {
  return text.split('\n').map(visible).join('\n')
}

/** JSON with invisible characters escaped, which leaves its values as they are. Line breaks between values stay. */
export function visibleJson(json: string): string {
  return json.replace(INVISIBLE, (character) =>
    character === '\n' ? character : character.split('').map(escaped).join(''),
  )
}

function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
}
