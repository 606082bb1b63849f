import { brotliDecompressSync } from 'node:zlib'
import { PACKED } from './generated/common-passwords.ts'

/** Unpacked when the first password is set, and then kept. */
let common: ReadonlySet<string> | undefined

function isCommon(text: string): boolean {
  common ??= new Set(brotliDecompressSync(Buffer.from(PACKED, 'base64')).toString('utf8').split('\n'))
  return common.has(text)
}

/** Neighbours on keyboards, in the alphabet and among the digits. */
const ROWS = [
  'abcdefghijklmnopqrstuvwxyz',
  '01234567890',
  'qwertyuiop',
  'asdfghjkl',
  'zxcvbnm',
  'qwertzuiop',
  'azertyuiop',
  'qsdfghjklm',
  '1qaz2wsx3edc4rfv5tgb6yhn7ujm',
]
const NEIGHBOURS: ReadonlySet<string> = new Set(
  ROWS.flatMap((row) =>
    [...row].slice(1).flatMap((key, index) => [`${row[index]}${key}`, `${key}${row[index]}`]),
  ),
)
/** So many characters of a part that is repeated are not worth more than one of a common one. */
const SHORT_PART = 4
/** A text whose rows of neighbours have so many characters, as a mean, is a walk over the keyboard. */
const LONG_WALK = 4
/** The part without the digits and signs around it counts where it is so much of the whole. */
const LEAST_PART = 1 / 3
/** A name with fewer characters is in too many words. */
const SHORTEST_NAME = 4
/** So many letters beside a name make a password of their own. */
const FEW_LETTERS = 4

const LEET: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '@': 'a',
  $: 's',
  '!': 'i',
}

/**
 * Whether a password is among the first that are guessed: a common one, a repetition of one or of a short part, or a walk
 * over the keyboard, whatever digits and signs are around it. The work grows with its length alone.
 */
export function isGuessable(password: string): boolean {
  const text = password.normalize('NFKC').toLowerCase()
  const letters = onlyWords(text)
  const unleet = [...text].map((one) => LEET[one] ?? one).join('')
  const spellings = [text, letters, unleet, onlyWords(unleet)]
  return spellings.some((whole) => {
    const inside = bare(whole)
    return isFirstGuess(whole) || (inside.length >= LEAST_PART * whole.length && isFirstGuess(inside))
  })
}

/** Whether a password is hardly more than one of these names, such as the person's address. */
export function isMostlyName(password: string, names: readonly string[]): boolean {
  const text = onlyWords(password.normalize('NFKC').toLowerCase())
  return names
    .flatMap((name) => [name, ...name.split(/[@\s.]+/)])
    .map((name) => onlyWords(name.normalize('NFKC').toLowerCase()))
    .some((name) => {
      if (name.length < SHORTEST_NAME || !text.includes(name)) return false
      const rest = text.replaceAll(name, '')
      return rest.replace(/\p{Nd}/gu, '').length <= FEW_LETTERS || isCommon(bare(rest))
    })
}

function isFirstGuess(text: string): boolean {
  if (text === '') return false
  const part = text.slice(0, periodOf(text))
  if (part.length < text.length && (part.length <= SHORT_PART || isFirstGuess(part))) return true
  return isCommon(text) || LONG_WALK * walksOf(text) <= text.length
}

/** The length of the shortest part that a text repeats, the last time perhaps not whole; else the text's own. */
function periodOf(text: string): number {
  const borders = [0]
  for (let at = 1, border = 0; at < text.length; at++) {
    while (border > 0 && text[at] !== text[border]) border = borders[border - 1] ?? 0
    if (text[at] === text[border]) border++
    borders.push(border)
  }
  const period = text.length - (borders.at(-1) ?? 0)
  return 3 * period <= 2 * text.length ? period : text.length
}

/** How many rows of neighbours, or of the same key, a text is made of. */
function walksOf(text: string): number {
  let walks = 1
  for (let at = 1; at < text.length; at++) {
    const pair = text.slice(at - 1, at + 1)
    if (pair[0] !== pair[1] && !NEIGHBOURS.has(pair)) walks++
  }
  return walks
}

/** Without the digits and signs around it. */
function bare(text: string): string {
  const isLetter = (at: number) => /\p{L}/u.test(text[at] ?? 'a')
  let [from, to] = [0, text.length]
  while (from < to && !isLetter(from)) from++
  while (to > from && !isLetter(to - 1)) to--
  return text.slice(from, to)
}

/** Letters and digits alone. */
function onlyWords(text: string): string {
  return text.replace(/[^\p{L}\p{Nd}]/gu, '')
}
