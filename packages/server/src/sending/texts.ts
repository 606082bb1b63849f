import { readContent } from '@wigwag/contract'
import { invalidFields, Problem, type ProblemCode } from '../domain/errors.ts'
import { placeOf, whyNotFilled } from '../domain/text/columns.ts'

/** Longer than any text that can be sent, so that none is made much longer than that. */
const LONGEST = 10_000

/** The texts of a list: one for all, or one for each, with its fields filled in from the cells of a line. */
export interface Texts {
  areOwn: boolean
  /** The text of a line, or why it has none. */
  of(cells: readonly string[]): string | Problem
}

/** Reads the text for a list with these columns. Throws a problem if it can't be filled in from them. */
export function readTexts(content: string, columns: readonly string[]): Texts {
  const { text, render, fields } = contentOf(content)
  if (!render) return { areOwn: false, of: () => text }
  const lacking = whyNotFilled(fields, columns, 'the list')
  if (lacking !== undefined) throw wrongContent('missing_field', `The text ${lacking}.`)
  const places = fields.map((field) => [field, placeOf(field, columns)] as const)
  return {
    areOwn: true,
    of(cells) {
      const filled = render(Object.fromEntries(places.map(([field, at]) => [field, cells[at] ?? ''])))
      return typeof filled === 'string' ? filled : new Problem('missing_field', filled.message)
    },
  }
}

function contentOf(content: string): ReturnType<typeof readContent> {
  try {
    return readContent(content, LONGEST)
  } catch (error) {
    if (error instanceof TypeError)
      throw wrongContent('content_invalid', error.message.replace(/^Content: e/, 'E'))
    throw error
  }
}

function wrongContent(code: ProblemCode, detail: string): Problem {
  return invalidFields([{ pointer: '/Content', code, detail }])
}
