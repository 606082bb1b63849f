import type { CarrierVerdict, SubmitOutcome } from '../../carrier.ts'
import type { FilledText } from './placeholders.ts'

/** What a provider's API expects and answers, so that another provider needs no code. */
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
  /** What `{encoding}` says. */
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
