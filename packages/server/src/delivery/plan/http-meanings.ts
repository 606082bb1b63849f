import type { CarrierVerdict } from '../carrier.ts'
import type { ReceiptTemplate, ReplyRule, ReplyTemplate } from '../carriers/http/template.ts'
import { type Given, listed, type Reader } from './field-reader.ts'

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

/** What a provider's replies mean. Without `needsRef`, receipts name our ticket. */
export function readReplies(
  reader: Reader,
  given: Given | undefined,
  needsRef: boolean,
): ReplyTemplate | undefined {
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
export function readReceiptTemplate(reader: Reader, given: Given | undefined): ReceiptTemplate | undefined {
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
