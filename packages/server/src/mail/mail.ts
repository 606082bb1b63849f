import { plainWords } from '../kernel/text/words.ts'

/** A text for one address. */
export interface Mail {
  recipient: string
  subject: string
  body: string
  /** The customer that it is about, with whom it is erased; null for none. */
  accountId: string | null
}

const LONGEST_SUBJECT = 70
const LONGEST_LINE = 900
const LONGEST_BODY = 20_000
/** A little more than is kept is looked at, so that the last character is whole. */
const LONGEST_CHARACTER = 100

/** A mail of plain text: a subject of one short line, and paragraphs of one line each. */
export function composed(subject: string, paragraphs: readonly string[]): Pick<Mail, 'subject' | 'body'> {
  const body = paragraphs.map((one) => cut(plainWords(one), LONGEST_LINE)).join('\n\n')
  return { subject: cut(plainWords(subject), LONGEST_SUBJECT), body: `${cut(body, LONGEST_BODY)}\n` }
}

/** By characters as people see them, so that none is cut in two. */
function cut(text: string, most: number): string {
  if (text.length <= most) return text
  let kept = ''
  for (const { segment } of new Intl.Segmenter('en').segment(text.slice(0, most + LONGEST_CHARACTER))) {
    if (kept.length + segment.length > most - 1) break
    kept += segment
  }
  return `${kept}…`
}
