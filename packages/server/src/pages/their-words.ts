import { type Markup, markup } from './markup.ts'

const LINE_BREAKS = /[\t\n\v\f\r\u0085\u2028\u2029]/gu
/** Controls, marks that turn the direction of text, characters without a picture, and half pairs. */
const INVISIBLE =
  /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Cn}\p{Zl}\p{Zp}\p{Variation_Selector}\u{115f}\u{1160}\u{2800}\u{3164}\u{ffa0}]+/gu
/** Letters may carry a few marks; a tower of them would cover the lines around it. */
const TOWER = /(\p{M}{3})\p{M}+/gu
/** Ours stand around a name, so that nothing in it may look like their end. */
const QUOTES = /["“”„‟«»〝〞＂]/gu

/** For hosts, and addresses of which we know the host: the end of one says whose it is, so it is never cut. */
export const LONGEST_ADDRESS = 300

/**
 * A name that somebody gave themselves, fit to stand among our words: on one line, of a length that fits, without
 * anything that hides or turns text. Undefined when nothing visible is left.
 */
export function theirWords(text: string, longest = 60): string | undefined {
  const shown = text
    // What lies far beyond the longest is not worth looking at.
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

/** An assistant's name between quotes, its direction kept to itself. */
export function clientName(name: string): Markup {
  const shown = theirWords(name)
  return shown === undefined
    ? markup`an assistant without a name`
    : markup`“<bdi class="name">${shown}</bdi>”`
}
