import { Problem } from '../../domain/errors.ts'

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

/** The fields of a form of either kind. A file counts as the text in it. Undefined when they can't be read. */
export async function readForm(bytes: Buffer, contentType = ''): Promise<URLSearchParams | undefined> {
  if (!/^multipart\/form-data\s*;/i.test(contentType)) return readFields(bytes.toString())
  const body = new Response(new Uint8Array(bytes), { headers: { 'content-type': contentType } })
  const parts = await body.formData().catch((error: unknown) => {
    if (error instanceof TypeError) return undefined
    throw error
  })
  const fields = [...(parts ?? [])]
  if (!parts || fields.length > MOST_FIELDS) return undefined
  const form = new URLSearchParams()
  for (const [name, value] of fields)
    form.append(name, typeof value === 'string' ? value : await value.text())
  return form
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
