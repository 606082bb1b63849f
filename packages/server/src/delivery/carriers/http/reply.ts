import type { OutboundResult } from '../../../platform/outbound/port.ts'
import { type Parsed, parseForm, parseJson, parseText } from './parsed.ts'
import { referenceOf } from './provider-words.ts'
import type { ReplyRule, ReplyTemplate } from './template.ts'

type Reply = Extract<OutboundResult, { kind: 'reply' }>

export interface Judgement {
  outcome: ReplyRule['outcome']
  /** The provider's reference, when the rule says where it is and it can be used. */
  ref: string | undefined
  /** `HTTP 400: Invalid 'To' Phone Number`, as long as the provider wrote it. */
  reason: string
}

/** What a reply means: by the first rule that fits, else by its HTTP status alone. */
export function judge(reply: Reply, template: ReplyTemplate): Judgement {
  const parsed = parse(reply, template)
  const rule = template.rules.find((rule) => fits(rule, reply.status, parsed))
  const detail = rule?.reason === undefined ? undefined : parsed?.at(rule.reason)
  return {
    outcome: rule?.outcome ?? outcomeByStatus(reply.status),
    ref: rule?.ref === undefined ? undefined : referenceOf(parsed?.at(rule.ref)),
    reason: `HTTP ${reply.status}${detail === undefined ? '' : `: ${detail}`}`,
  }
}

/** A client's error or a busy server took nothing. Anything else may have, even a success that no rule knows. */
function outcomeByStatus(status: number): Judgement['outcome'] {
  if (status === 429 || status === 503) return 'later'
  return status >= 400 && status < 500 && status !== 408 ? 'not_taken' : 'uncertain'
}

function parse(reply: Reply, { format, pattern }: ReplyTemplate): Parsed | undefined {
  if (format === 'json') return parseJson(reply.body)
  const text = Buffer.from(reply.body).toString('utf8')
  if (format === 'form') return parseForm(text)
  return pattern === undefined ? undefined : parseText(text, pattern)
}

function fits(rule: ReplyRule, status: number, parsed: Parsed | undefined): boolean {
  const { statuses, where, ref } = rule
  if (statuses.length > 0 && !statuses.some(({ from, to }) => status >= from && status <= to)) return false
  if (ref !== undefined && !parsed?.at(ref)) return false
  return where.every(({ path, values }) => {
    const found = parsed?.at(path)
    return found !== undefined && values.includes(found)
  })
}

/** How long the provider asks us to wait: seconds, or a date. */
export function retryAfterMs(reply: Reply, now: number): number {
  const given = reply.headers['retry-after']
  if (given === undefined) return 0
  if (/^\d{1,9}$/.test(given)) return Number(given) * 1_000
  const date = Date.parse(given)
  return Number.isNaN(date) ? 0 : Math.max(0, date - now)
}
