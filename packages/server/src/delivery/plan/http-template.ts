import { type FilledText, PLACEHOLDERS, readText, uses } from '../carriers/http/placeholders.ts'
import type { FilledJson, HttpTemplate, RequestTemplate } from '../carriers/http/template.ts'
import { type Given, listed, type Reader } from './field-reader.ts'
import { readReceiptTemplate, readReplies } from './http-meanings.ts'

const HEADER = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/
const A_WEEK = 7 * 86_400

/** Reads the template of an HTTP carrier; undefined when something is wrong, which has been complained about. */
export function readTemplate(reader: Reader, given: Given): HttpTemplate | undefined {
  const before = reader.problems.length
  const field = reader.fields(given, ['documentation', 'request', 'replies', 'receipts'])
  if (field === undefined) return undefined
  reader.text(field('documentation'), 'the address of the documentation')
  const request = readRequest(
    reader,
    reader.required(given, 'request', field('request'), 'what is sent for a message'),
  )
  const receipts = readReceiptTemplate(reader, field('receipts'))
  const needsRef = receipts?.ticket === undefined
  const meanings = reader.required(given, 'replies', field('replies'), 'what the replies mean')
  const replies = readReplies(reader, meanings, needsRef)
  if (request === undefined || replies === undefined) return undefined
  return reader.problems.length === before ? { request, replies, receipts } : undefined
}

/** Whether the template needs a password. */
export function needsSecret({ request }: HttpTemplate): boolean {
  const isSecret = (text: FilledText) => uses(text, 'secret', 'basic')
  if (isSecret(request.url) || request.headers.some(([, text]) => isSecret(text))) return true
  if (request.body === undefined) return false
  if (request.body.kind === 'form') return request.body.fields.some(([, text]) => isSecret(text))
  return textsIn(request.body.value).some(isSecret)
}

function textsIn(json: FilledJson): FilledText[] {
  if (json.kind === 'text') return [json.text]
  if (json.kind === 'list') return json.items.flatMap(textsIn)
  return json.kind === 'object' ? json.fields.flatMap(([, value]) => textsIn(value)) : []
}

function readRequest(reader: Reader, given: Given | undefined): RequestTemplate | undefined {
  const names = ['method', 'url', 'headers', 'json', 'form', 'encodings', 'validitySeconds'] as const
  const field = reader.fields(given, names)
  if (given === undefined || field === undefined) return undefined
  const method = reader.oneOf(field('method'), ['GET', 'POST']) ?? 'POST'
  const json = field('json')
  const form = field('form')
  const body = form ?? json
  if (json !== undefined && form !== undefined) {
    reader.complain(form, 'either json or form', { got: 'both', atName: true })
  } else if (body !== undefined && method === 'GET') {
    reader.complain(body, 'no body for GET', { got: form ? 'form' : 'json', atName: true })
  }
  return {
    method,
    url: readUrl(reader, field('url')),
    headers: readHeaders(reader, field('headers')),
    body: form ? { kind: 'form', fields: readForm(reader, form) } : json && jsonBody(reader, json),
    encodings: readEncodings(reader, field('encodings')),
    validitySeconds: readValidity(reader, field('validitySeconds')),
  }
}

function readUrl(reader: Reader, given: Given | undefined): FilledText {
  const text = readFilled(reader, given) ?? [{ placeholder: 'url' }]
  const [first, ...others] = text
  const begins = typeof first === 'object' && first.placeholder === 'url'
  if (given !== undefined && (!begins || uses(others, 'url'))) {
    reader.complain(
      given,
      '{url} once, at the beginning: the address of the carrier without a slash at the end',
    )
  }
  return text
}

function readHeaders(reader: Reader, given: Given | undefined): RequestTemplate['headers'] {
  const headers = reader.entries(given, 'headers such as { "Authorization": "Basic {basic}" }') ?? []
  return headers.map(([name, value]) => {
    if (!HEADER.test(name))
      reader.complain(value, 'the name of a header', { got: JSON.stringify(name), atName: true })
    return [name, readFilled(reader, value) ?? []]
  })
}

function readForm(reader: Reader, given: Given): [string, FilledText][] {
  const fields = reader.entries(given, 'fields such as { "To": "{recipient}" }') ?? []
  return fields.map(([name, value]) => [name, readFilled(reader, value) ?? []])
}

function jsonBody(reader: Reader, given: Given): RequestTemplate['body'] {
  return { kind: 'json', value: readJson(reader, given) }
}

function readJson(reader: Reader, given: Given): FilledJson {
  const { value } = given
  if (typeof value === 'string') return { kind: 'text', text: readFilled(reader, given) ?? [] }
  if (typeof value !== 'object' || value === null) return { kind: 'plain', value }
  if (value.kind === 'list') return { kind: 'list', items: value.items.map((item) => readJson(reader, item)) }
  const fields = [...value.fields].map(([name, field]) => [name, readJson(reader, field)] as const)
  return { kind: 'object', fields }
}

/** A text with placeholders. */
function readFilled(reader: Reader, given: Given | undefined): FilledText | undefined {
  const text = reader.text(given, 'a text, which may hold placeholders such as {recipient}')
  if (given === undefined || text === undefined) return undefined
  const read = readText(text)
  if ('text' in read) return read.text
  const known = listed(PLACEHOLDERS.map((name) => `{${name}}`))
  reader.complain(given, `only the placeholders ${known}`, { got: `{${read.unknown}}` })
  return undefined
}

function readEncodings(reader: Reader, given: Given | undefined): RequestTemplate['encodings'] {
  const field = reader.fields(given, ['GSM-7', 'UCS-2'])
  return {
    'GSM-7': reader.text(field?.('GSM-7'), "the provider's word") ?? 'GSM-7',
    'UCS-2': reader.text(field?.('UCS-2'), "the provider's word") ?? 'UCS-2',
  }
}

function readValidity(reader: Reader, given: Given | undefined): RequestTemplate['validitySeconds'] {
  const field = reader.fields(given, ['least', 'most'])
  const least = reader.whole(field?.('least'), 1, A_WEEK) ?? 1
  const most = reader.whole(field?.('most'), 1, A_WEEK) ?? A_WEEK
  if (given !== undefined && least > most) {
    reader.complain(given, 'least to be no more than most', { got: `${least} and ${most}` })
  }
  return { least, most }
}
