import type { CarrierVerdict, SubmitOutcome } from '../../carrier.ts'

/** A provider's API as data, so that another provider needs no code. */
export interface HttpTemplate {
  request: RequestTemplate
  replies: ReplyTemplate
  receipts: ReceiptTemplate | undefined
}

export interface RequestTemplate {
  method: 'GET' | 'POST'
  /** Begins with `{url}`, the address of the carrier. */
  url: FilledText
  headers: readonly (readonly [string, FilledText])[]
  body: JsonBody | FormBody | undefined
  /** The values of `{encoding}`. */
  encodings: Readonly<Record<'GSM-7' | 'UCS-2', string>>
  /** The bounds of `{validitySeconds}` and of the other forms of it. */
  validitySeconds: { least: number; most: number }
}

export interface JsonBody {
  kind: 'json'
  value: FilledJson
}

export interface FormBody {
  kind: 'form'
  fields: readonly (readonly [string, FilledText])[]
}

/** JSON with placeholders in its texts. A text that is nothing but a number's placeholder becomes a number. */
export type FilledJson =
  | { kind: 'text'; text: FilledText }
  | { kind: 'plain'; value: number | boolean | null }
  | { kind: 'list'; items: readonly FilledJson[] }
  | { kind: 'object'; fields: readonly (readonly [string, FilledJson])[] }

export interface ReplyTemplate {
  format: 'json' | 'form' | 'text'
  /** For `text`: its named groups are what paths name. */
  pattern: RegExp | undefined
  /** The first that fits decides. */
  rules: readonly ReplyRule[]
}

export interface ReplyRule {
  /** Fits any HTTP status when empty. */
  statuses: readonly { from: number; to: number }[]
  /** Each path must hold one of its values. */
  where: readonly { path: string; values: readonly string[] }[]
  outcome: Exclude<SubmitOutcome['kind'], 'partly'>
  /** Where the reference is. A rule with a reference fits no reply without one. */
  ref: string | undefined
  reason: string | undefined
}

export type ReceiptSource = 'json' | 'form' | 'query'

export interface ReceiptTemplate {
  /** Tried in this order. */
  in: readonly ReceiptSource[]
  /** Where the list of receipts is; undefined when the whole is a receipt or a list of them. */
  list: string | undefined
  ref: string | undefined
  /** Where our ticket is, for providers that repeat it. */
  ticket: string | undefined
  /** The first path that holds a known word decides. */
  status: readonly string[]
  reason: string | undefined
  verdicts: ReadonlyMap<string, CarrierVerdict>
  /** Words that say only that the message is on its way. */
  progress: ReadonlySet<string>
  answer: { status: number; body: string; contentType: string }
}

/** Placeholders that stand for numbers. */
const NUMBERS = ['validitySeconds', 'validityMinutes', 'validityMs'] as const

const TEXTS = [
  'url',
  'user',
  'secret',
  'basic',
  'sender',
  '+sender',
  'recipient',
  '+recipient',
  'content',
  'ticket',
  'encoding',
  'receiptsUrl',
] as const

export type Placeholder = (typeof TEXTS)[number] | (typeof NUMBERS)[number]
export const PLACEHOLDERS: readonly Placeholder[] = [...TEXTS, ...NUMBERS]

/** A text with placeholders, taken apart. */
export type FilledText = readonly (string | { readonly placeholder: Placeholder })[]

export type Values = Readonly<Record<Placeholder, string>>

/** Takes a text such as `Basic {basic}` apart; returns the name of the first placeholder that does not exist. */
export function readText(text: string): { text: FilledText } | { unknown: string } {
  const parts: (string | { placeholder: Placeholder })[] = []
  for (const part of text.split(/(\{[^{}]*\})/)) {
    if (part === '') continue
    if (!/^\{[^{}]*\}$/.test(part)) {
      parts.push(part)
      continue
    }
    const placeholder = PLACEHOLDERS.find((known) => `{${known}}` === part)
    if (placeholder === undefined) return { unknown: part.slice(1, -1) }
    parts.push({ placeholder })
  }
  return { text: parts }
}

export function uses(text: FilledText, ...names: Placeholder[]): boolean {
  return text.some((part) => typeof part !== 'string' && names.includes(part.placeholder))
}

/** Fills a text in. `escaped` is applied to the values alone. */
export function fill(text: FilledText, values: Values, escaped: (value: string) => string): string {
  return text.map((part) => (typeof part === 'string' ? part : escaped(values[part.placeholder]))).join('')
}

/** The number that a text is, when it is nothing but the placeholder of one. */
export function numberOf(text: FilledText, values: Values): number | undefined {
  const [only, more] = text
  if (only === undefined || more !== undefined || typeof only === 'string') return undefined
  const { placeholder } = only
  return NUMBERS.some((name) => name === placeholder) ? Number(values[placeholder]) : undefined
}

export function escapeForUrl(value: string): string {
  return encodeURIComponent(value.toWellFormed())
}

/** A header holds printable ASCII; the rest is percent-encoded, so that no value can end the header. */
export function escapeForHeader(value: string): string {
  return value.toWellFormed().replace(/[^\x20-\x7e]/gu, encodeURIComponent)
}
