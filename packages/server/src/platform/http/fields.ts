import { Problem } from '../../domain/errors.ts'
import { type Part, readParts } from './multipart.ts'

/** More than any form, receipt or operation has. */
const MOST_FIELDS = 100
/** In bytes. More than any route needs. */
const LONGEST_PATH = 1_024

/**
 * The fields of a form or of a query; undefined when there are too many. They are counted first, because Node takes
 * quadratic time for many fields: 2 MiB of `a&a&` took 14 seconds.
 */
export function readFields(text: string): URLSearchParams | undefined {
  return hasMoreFields(text, MOST_FIELDS) ? undefined : new URLSearchParams(text)
}

/**
 * The fields of a form of either kind. A file counts as the text in it. Undefined when they can't be read. PostgreSQL
 * stores no zero characters: they are taken out of what is typed, and a file shows by them that it is no text.
 */
export function readForm(bytes: Buffer, contentType = ''): URLSearchParams | undefined {
  const isInParts = /^multipart\/form-data\s*;/i.test(contentType)
  const parts = isInParts ? readParts(bytes, contentType, MOST_FIELDS) : typedIn(bytes)
  if (!parts) return undefined
  const form = new URLSearchParams()
  for (const { name, text, isFile } of parts) form.append(name, text.replaceAll('\0', isFile ? '\ufffd' : ''))
  return form
}

function typedIn(bytes: Buffer): Part[] | undefined {
  const fields = readFields(bytes.toString())
  return fields && Array.from(fields, ([name, text]) => ({ name, text, isFile: false }))
}

/** Why the path and query of a request are refused before they are parsed; undefined when they are not. */
export function targetRefusal(target: string): Problem | undefined {
  const at = target.indexOf('?')
  const [path, query] = at < 0 ? [target, ''] : [target.slice(0, at), target.slice(at + 1)]
  if (path.length > LONGEST_PATH)
    return new Problem('body_too_large', `Expected a path of at most ${LONGEST_PATH} bytes.`)
  if (hasMoreFields(query, MOST_FIELDS))
    return new Problem('body_too_large', `Expected a query of at most ${MOST_FIELDS} fields.`)
  return undefined
}

function hasMoreFields(text: string, most: number): boolean {
  let fields = 1
  for (let at = text.indexOf('&'); at >= 0 && fields <= most; at = text.indexOf('&', at + 1)) fields++
  return fields > most
}
