import { Problem } from '../../kernel/errors.ts'

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

/** In bytes. Browsers write the name of a field and of a file there. */
const LONGEST_HEADERS = 4 * 1_024
/** RFC 2046 allows 70 characters. */
const BOUNDARY = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i
const LINE_END = '\r\n'

/** One part of a form: the name of its field, the text in it, and whether that is a file's. */
interface Part {
  name: string
  text: string
  isFile: boolean
}

/**
 * The parts of a multipart form, the text of a file like any other. Undefined for one with more parts, or that can't be
 * read. It is read before we know who sends it, and what Node comes with takes a second for two megabytes of small parts
 * or of headers: here each byte is looked at once, and no part is made beyond the number.
 */
function readParts(bytes: Buffer, contentType: string, most: number): Part[] | undefined {
  const [, quoted, plain] = BOUNDARY.exec(contentType) ?? []
  const boundary = quoted ?? plain
  if (boundary === undefined || !startsWith(bytes, 0, `--${boundary}`)) return undefined
  const delimiter = Buffer.from(`${LINE_END}--${boundary}`)
  const parts: Part[] = []
  let at = delimiter.length - LINE_END.length
  while (!startsWith(bytes, at, '--')) {
    const part =
      startsWith(bytes, at, LINE_END) && parts.length < most ? partAt(bytes, at, delimiter) : undefined
    if (!part) return undefined
    parts.push(part)
    at = part.end
  }
  return parts
}

/** The part whose headers follow the end of a line, and where the delimiter behind it ends. */
function partAt(bytes: Buffer, at: number, delimiter: Buffer): (Part & { end: number }) | undefined {
  const headers = bytes.subarray(at, at + LONGEST_HEADERS)
  const length = headers.indexOf(LINE_END + LINE_END)
  const { name, filename } = length < 0 ? {} : disposition(headers.toString('utf8', 0, length))
  const begin = at + length + 2 * LINE_END.length
  const end = bytes.indexOf(delimiter, begin)
  if (name === undefined || end < 0) return undefined
  // Without the byte order mark that a file may begin with.
  const text = new TextDecoder().decode(bytes.subarray(begin, end))
  return { name, text, isFile: filename !== undefined, end: end + delimiter.length }
}

function disposition(headers: string): { name?: string; filename?: string } {
  const [, values = ''] = /^content-disposition:\s*form-data(;.*)$/im.exec(headers) ?? []
  const found = values.matchAll(/;\s*([\w*-]+)="([^"]*)"/g)
  return Object.fromEntries(Array.from(found, ([, key = '', value]) => [key.toLowerCase(), value]))
}

function startsWith(bytes: Buffer, at: number, text: string): boolean {
  return bytes.toString('latin1', at, at + text.length) === text
}
