import type { CarrierVerdict } from '../carrier.ts'
import {
  type FilledJson,
  type FilledText,
  type HttpTemplate,
  PLACEHOLDERS,
  type ReceiptTemplate,
  type ReplyRule,
  type ReplyTemplate,
  type RequestTemplate,
  readText,
  uses,
} from '../carriers/http/template.ts'
import { type Given, listed, type Reader } from './field-reader.ts'

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

const VERDICTS = [
  'success',
  'undelivered',
  'expired',
  'rejected',
  'failed',
] as const satisfies readonly CarrierVerdict[]
const OUTCOMES = ['accepted', 'rejected', 'later', 'not_taken', 'uncertain'] as const
const SOURCES = ['json', 'form', 'query'] as const
const PATH = /^[^.\s]+(?:\.[^.\s]+)*$/
const A_PATH = 'a path such as messages.0.status'

/** Reads the rules for a provider's replies. Without `needsRef`, receipts name our ticket. */
function readReplies(reader: Reader, given: Given | undefined, needsRef: boolean): ReplyTemplate | undefined {
  const field = reader.fields(given, ['format', 'pattern', 'rules'])
  if (given === undefined || field === undefined) return undefined
  const format = reader.oneOf(field('format'), ['json', 'form', 'text']) ?? 'json'
  const pattern = readPattern(reader, field('pattern'))
  if (format === 'text') {
    const expected = 'a regular expression with named groups, because the format is text'
    reader.required(given, 'pattern', field('pattern'), expected)
  }
  const list = reader.required(given, 'rules', field('rules'), 'a list of rules')
  const rules = (reader.list(list, 'a list of rules') ?? []).map((rule) => readRule(reader, rule, needsRef))
  if (list !== undefined && !rules.some((rule) => rule.outcome === 'accepted')) {
    reader.complain(list, 'a rule whose outcome is accepted', { got: 'none' })
  }
  return { format, pattern, rules }
}

function readPattern(reader: Reader, given: Given | undefined): RegExp | undefined {
  const text = reader.text(given, 'a regular expression')
  if (given === undefined || text === undefined) return undefined
  try {
    return new RegExp(text, 'u')
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    reader.complain(given, 'a regular expression', { got: why })
    return undefined
  }
}

function readRule(reader: Reader, given: Given, needsRef: boolean): ReplyRule {
  const field = reader.fields(given, ['status', 'where', 'outcome', 'ref', 'reason'])
  const chosen = field && reader.required(given, 'outcome', field('outcome'), listed(OUTCOMES, 'or'))
  const outcome = reader.oneOf(chosen, OUTCOMES) ?? 'uncertain'
  const ref = reader.text(field?.('ref'), A_PATH, PATH)
  if (field !== undefined && outcome === 'accepted' && field('ref') === undefined && needsRef) {
    reader.complain(given, 'ref, or a ticket in receipts, so that receipts find their message', {
      got: 'neither',
    })
  }
  return {
    statuses: readStatuses(reader, field?.('status')),
    where: (reader.entries(field?.('where'), 'paths with their values') ?? []).map(([path, value]) => ({
      path,
      values: words(reader, value),
    })),
    outcome,
    ref,
    reason: reader.text(field?.('reason'), A_PATH, PATH),
  }
}

function readStatuses(reader: Reader, given: Given | undefined): ReplyRule['statuses'] {
  if (given === undefined) return []
  return elements(given).flatMap((item) => {
    const expected = 'an HTTP status such as 201 or "2xx"'
    const word = reader.word(item, expected)
    if (word === undefined) return []
    if (/^[1-5]\d\d$/.test(word)) return [{ from: Number(word), to: Number(word) }]
    if (/^[1-5]xx$/.test(word)) return [{ from: Number(word[0]) * 100, to: Number(word[0]) * 100 + 99 }]
    reader.complain(item, expected)
    return []
  })
}

/** Texts and numbers are compared as text. */
function words(reader: Reader, given: Given): string[] {
  return elements(given).flatMap((item) => {
    const value =
      typeof item.value === 'boolean'
        ? String(item.value)
        : reader.word(item, 'a text, a number, true or false')
    return value ?? []
  })
}

function elements(given: Given): readonly Given[] {
  const { value } = given
  return typeof value === 'object' && value?.kind === 'list' ? value.items : [given]
}

/** How a provider's receipts are read. */
function readReceiptTemplate(reader: Reader, given: Given | undefined): ReceiptTemplate | undefined {
  const names = ['in', 'list', 'ref', 'ticket', 'status', 'reason', 'verdicts', 'progress', 'answer'] as const
  const field = reader.fields(given, names)
  if (given === undefined || field === undefined) return undefined
  const where = reader.required(given, 'in', field('in'), listed(SOURCES, 'or'))
  const path = reader.required(given, 'status', field('status'), A_PATH)
  const map = reader.required(given, 'verdicts', field('verdicts'), 'words with their verdicts')
  if (field('ref') === undefined && field('ticket') === undefined) {
    reader.complain(given, 'ref or ticket, so that receipts find their message', { got: 'neither' })
  }
  const verdicts = readVerdicts(reader, map)
  const progress = readProgress(reader, field('progress'), verdicts)
  return {
    in: where === undefined ? [] : elements(where).flatMap((item) => reader.oneOf(item, SOURCES) ?? []),
    list: reader.text(field('list'), A_PATH, PATH),
    ref: reader.text(field('ref'), A_PATH, PATH),
    ticket: reader.text(field('ticket'), A_PATH, PATH),
    status: reader.texts(path, A_PATH, PATH) ?? [],
    reason: reader.text(field('reason'), A_PATH, PATH),
    verdicts,
    progress,
    answer: readAnswer(reader, field('answer')),
  }
}

function readVerdicts(reader: Reader, given: Given | undefined): ReadonlyMap<string, CarrierVerdict> {
  const verdicts = new Map<string, CarrierVerdict>()
  for (const [word, value] of reader.entries(given, 'words with their verdicts') ?? []) {
    const verdict = reader.oneOf(value, VERDICTS)
    if (verdict !== undefined) verdicts.set(word, verdict)
  }
  return verdicts
}

function readProgress(
  reader: Reader,
  given: Given | undefined,
  verdicts: ReadonlyMap<string, CarrierVerdict>,
): ReadonlySet<string> {
  if (given === undefined) return new Set()
  const progress = words(reader, given)
  const both = progress.filter((word) => verdicts.has(word))
  if (both.length > 0) reader.complain(given, 'words that are not among the verdicts', { got: listed(both) })
  return new Set(progress)
}

function readAnswer(reader: Reader, given: Given | undefined): ReceiptTemplate['answer'] {
  const field = reader.fields(given, ['status', 'body', 'contentType'])
  return {
    status: reader.whole(field?.('status'), 200, 299) ?? 200,
    body: reader.text(field?.('body'), 'a text') ?? '',
    contentType:
      reader.text(field?.('contentType'), 'a media type', /^[\w.+-]+\/[\w.+-]+/) ??
      'text/plain; charset=utf-8',
  }
}
