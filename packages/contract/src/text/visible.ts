/** Control characters, format characters such as those that reverse the text, line separators, variation selectors. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Variation_Selector}]/gu

/** Makes text from others safe to show on one line: a character that a terminal or page would obey reads `\u{202e}`. */
export function visible(text: string): string {
  return text.replace(INVISIBLE, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`)
}

/** As {@link visible}, but keeps line breaks. */
export function visibleLines(text: string): string {
  return text.split('\n').map(visible).join('\n')
}

/** Escapes invisible characters of JSON, which does not change its values. Keeps the line breaks between values. */
export function visibleJson(json: string): string {
  return json.replace(INVISIBLE, (character) =>
    character === '\n' ? character : character.split('').map(escaped).join(''),
  )
}

function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
}
