/** A sentence in parts, so that a page can isolate the names in it: their letters may run from right to left. */
export type Words = string | readonly (string | { readonly name: string })[]

/** Line breaks, other control characters, and what turns the direction of the text that follows. */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu

/** On one line, without what could change the meaning of the text around it: carriers and customers wrote parts of it. */
export function plainWords(words: Words): string {
  const parts = typeof words === 'string' ? [words] : words
  const text = parts.map((part) => (typeof part === 'string' ? part : part.name)).join('')
  return text.replace(UNPRINTABLE, ' ').replace(/ {2,}/g, ' ').trim()
}

/** Words, one after the other. */
export function joinedWords(all: readonly Words[], between = ' '): Words {
  return all.flatMap((words, index) => [...(index > 0 ? [between] : []), ...[words].flat()])
}

/** With a full stop, unless it ends with one already. */
export function sentenceOf(words: Words): Words {
  return /[.!?]$/.test(plainWords(words)) ? words : [...[words].flat(), '.']
}
