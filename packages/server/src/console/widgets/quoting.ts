const PLAIN = /^[\w.:/@%+=,-]+$/
const CONTROL = /\p{Cc}/gu

/**
 * A text as one word of a shell. One with control characters is written with escapes, because some of them would end a
 * paste into a terminal, and what follows would be run.
 */
export function shellText(text: string): string {
  if (PLAIN.test(text)) return text
  if (text.search(CONTROL) < 0) return `'${text.replaceAll("'", "'\\''")}'`
  const escaped = text.replace(/[\\']/g, '\\$&').replace(CONTROL, octal)
  return `$'${escaped}'`
}

/** A text as a string of JavaScript. */
export function scriptText(text: string): string {
  const inner = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")
  return `'${inner.replace(CONTROL, (character) => `\\x${character.charCodeAt(0).toString(16)}`)}'`
}

/** The bytes of a character. Octal escapes end after three digits, whatever comes next. */
function octal(character: string): string {
  if (character === '\n') return '\\n'
  return [...new TextEncoder().encode(character)]
    .map((byte) => `\\${byte.toString(8).padStart(3, '0')}`)
    .join('')
}
