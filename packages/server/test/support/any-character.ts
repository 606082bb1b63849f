import fc from 'fast-check'

const SURROGATES = { first: 0xd800, count: 0x800 }

/**
 * Any character of Unicode, as fast-check's unit 'binary'. That one makes a table of all of them, in each worker, to
 * find out which of its nasty strings it could have made itself; this one works it out.
 */
export const anyCharacter = fc.nat({ max: 0x10ffff - SURROGATES.count }).map(
  (index) => String.fromCodePoint(index < SURROGATES.first ? index : index + SURROGATES.count),
  (character) => indexOf(character),
)

function indexOf(character: unknown): number {
  const point = typeof character === 'string' ? character.codePointAt(0) : undefined
  if (point === undefined || String.fromCodePoint(point) !== character)
    throw new Error('expected a character')
  return point < SURROGATES.first ? point : point - SURROGATES.count
}
