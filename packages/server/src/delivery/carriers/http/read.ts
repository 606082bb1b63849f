import { isTicket } from '../../../kernel/ids.ts'
import type { OutboundResult } from '../../../net/outbound/port.ts'
import { readFields } from '../../../net/server/fields.ts'
import type { Receipt, ReceiptRequest } from '../../carrier.ts'
import { type Blank, reasonOf, referenceOf } from './provider-words.ts'
import type { ReceiptSource, ReceiptTemplate, ReplyRule, ReplyTemplate } from './template.ts'

type Reply = Extract<OutboundResult, { kind: 'reply' }>

export interface Judgement {
  outcome: ReplyRule['outcome']
  /** The provider's reference, when the rule says where it is and it can be used. */
  ref: string | undefined
  /** `HTTP 400: Invalid 'To' Phone Number`, as long as the provider wrote it. */
  reason: string
}

/** Judges a reply by the first rule that fits, else by its HTTP status alone. */
export function judge(reply: Reply, template: ReplyTemplate): Judgement {
  const parsed = parseReply(reply, template)
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

function parseReply(reply: Reply, { format, pattern }: ReplyTemplate): Parsed | undefined {
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

export interface ReadReceipts {
  receipts: Receipt[]
  /** Receipts that say only that the message is on its way. */
  progress: number
  unreadable: number
}

/** Reads receipts from the first source that holds any; one unreadable when none does. */
export function readReceipts(request: ReceiptRequest, template: ReceiptTemplate, blank: Blank): ReadReceipts {
  let nothing: ReadReceipts = { receipts: [], progress: 0, unreadable: 1 }
  for (const source of template.in) {
    const parsed = parseReceipts(request, source)
    if (parsed === undefined) continue
    const read = readAll(parsed.itemsAt(template.list), template, blank)
    if (read.receipts.length + read.progress > 0) return read
    nothing = { ...read, unreadable: Math.max(1, read.unreadable) }
  }
  return nothing
}

function parseReceipts({ query, body }: ReceiptRequest, source: ReceiptSource): Parsed | undefined {
  if (source === 'json') return parseJson(body)
  return parseForm(source === 'query' ? query : Buffer.from(body).toString('utf8'))
}

function readAll(items: readonly Parsed[], template: ReceiptTemplate, blank: Blank): ReadReceipts {
  const read: ReadReceipts = { receipts: [], progress: 0, unreadable: 0 }
  for (const item of items) {
    const receipt = readOne(item, template, blank)
    if (receipt === 'progress') read.progress += 1
    else if (receipt === undefined) read.unreadable += 1
    else read.receipts.push(receipt)
  }
  return read
}

function readOne(item: Parsed, template: ReceiptTemplate, blank: Blank): Receipt | 'progress' | undefined {
  const words = template.status.map((path) => item.at(path))
  const word = words.find(
    (word) => word !== undefined && (template.verdicts.has(word) || template.progress.has(word)),
  )
  if (word === undefined) return undefined
  const verdict = template.verdicts.get(word)
  if (verdict === undefined) return 'progress'

  const ticket = template.ticket === undefined ? undefined : item.at(template.ticket)?.toLowerCase()
  if (template.ticket !== undefined && (ticket === undefined || !isTicket(ticket))) return undefined
  const ref = template.ref === undefined ? ticket : referenceOf(item.at(template.ref))
  if (ref === undefined) return undefined

  const reason = template.reason === undefined ? '' : reasonOf(item.at(template.reason) ?? '', blank)
  return {
    ref,
    ...(ticket !== undefined && isTicket(ticket) ? { ticket } : {}),
    verdict,
    // Some providers say "0" when nothing went wrong.
    ...(reason === '' || verdict === 'success' ? {} : { reason }),
  }
}

/** The values of a reply or a receipt, looked up by path. */
export interface Parsed {
  /** The text, number or truth value at a path, as text. */
  at(path: string): string | undefined
  /** The elements of the list at a path; one element when it is no list. Without a path, of the whole. */
  itemsAt(path: string | undefined): readonly Parsed[]
}

const EMPTY: Parsed = { at: () => undefined, itemsAt: () => [] }

/** Reads JSON; undefined when it is none. A path such as `messages.0.status` names fields and places in lists. */
function parseJson(bytes: Uint8Array): Parsed | undefined {
  try {
    return parsedJson(JSON.parse(Buffer.from(bytes).toString('utf8'), keepLongNumbers))
  } catch {
    return undefined
  }
}

/** Reads a form or a query; a path is the name of a field. Undefined when there are too many fields. */
function parseForm(text: string): Parsed | undefined {
  const fields = readFields(text)
  if (fields === undefined) return undefined
  const parsed: Parsed = {
    at: (path) => fields.get(path) ?? undefined,
    itemsAt: () => [parsed],
  }
  return parsed
}

/** Reads a text by a pattern; a path is the name of a group. */
function parseText(text: string, pattern: RegExp): Parsed {
  const groups = pattern.exec(text)?.groups
  if (groups === undefined) return EMPTY
  const parsed: Parsed = { at: (path) => groups[path], itemsAt: () => [parsed] }
  return parsed
}

function parsedJson(value: unknown): Parsed {
  return {
    at: (path) => textOf(walk(value, path)),
    itemsAt(path) {
      const found = path === undefined ? value : walk(value, path)
      if (found === undefined) return []
      return Array.isArray(found) ? found.map(parsedJson) : [parsedJson(found)]
    },
  }
}

function walk(value: unknown, path: string): unknown {
  let found: unknown = value
  for (const step of path.split('.')) {
    if (typeof found !== 'object' || found === null) return undefined
    found = Reflect.get(found, step)
  }
  return found
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : undefined
}

/** Some providers' references are numbers of more digits than a JavaScript number holds. */
function keepLongNumbers(_name: string, value: unknown, context?: { source: string }): unknown {
  const isLong = typeof value === 'number' && !Number.isSafeInteger(value)
  return isLong && context !== undefined && /^-?\d+$/.test(context.source) ? context.source : value
}
