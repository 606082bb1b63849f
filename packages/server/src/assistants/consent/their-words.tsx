import type { Markup } from '../../net/pages/markup.ts'

const LINE_BREAKS = /[\t\n\v\f\r\u0085\u2028\u2029]/gu
/** Control characters, marks that change the text direction, characters without a glyph, and lone surrogates. */
const INVISIBLE =
  /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Cn}\p{Zl}\p{Zp}\p{Variation_Selector}\u{115f}\u{1160}\u{2800}\u{3164}\u{ffa0}]+/gu
/** A letter may carry a few combining marks; more would cover the lines around it. */
const TOWER = /(\p{M}{3})\p{M}+/gu
/** We put quotes around a name, so nothing in it may look like the closing one. */
const QUOTES = /["“”„‟«»〝〞＂]/gu

/** For hosts and addresses: the end of a host says whose it is, so this is long enough never to cut one. */
export const LONGEST_ADDRESS = 300

/**
 * Makes text from a stranger safe to show inside ours: one line, limited length, nothing that hides text or changes its
 * direction. Undefined when nothing visible is left.
 */
export function theirWords(text: string, longest = 60): string | undefined {
  const shown = text
    // Bounds the work on very long text.
    .slice(0, 20 * longest)
    .replace(LINE_BREAKS, ' ')
    .replace(INVISIBLE, '')
    .replace(/\s+/gu, ' ')
    .replace(TOWER, '$1')
    .replace(QUOTES, "'")
    .trim()
  const characters = [...shown]
  if (!/[\p{L}\p{N}\p{P}\p{S}]/u.test(shown)) return undefined
  if (characters.length <= longest) return shown
  return `${characters
    .slice(0, longest - 1)
    .join('')
    .trimEnd()}…`
}

/** An assistant's name in quotes, isolated from the text direction around it. */
export function clientName(name: string): Markup {
  const shown = theirWords(name)
  return shown === undefined ? (
    <>an assistant without a name</>
  ) : (
    <>
      “<bdi class="name">{shown}</bdi>”
    </>
  )
}
