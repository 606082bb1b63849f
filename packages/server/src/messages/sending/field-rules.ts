import { valueAt } from '@wigwag/contract'
import { zBulkSmsMessage } from '@wigwag/contract/validators'
import * as z from 'zod'
import { type FieldError, Problem } from '../../kernel/errors.ts'
import { parseRecipient } from '../../kernel/phone/phone.ts'
import { checkCallbackUrl, checkReference, checkSender } from '../../kernel/sent-fields.ts'
import { checkContent } from '../../kernel/text/segments.ts'
import type { TargetRefusal } from '../../net/outbound/port.ts'
import type { FieldRules } from '../../net/server/validate.ts'

/** How many recipients a request may have. */
export const MOST_RECIPIENTS =
  z.toJSONSchema(zBulkSmsMessage.shape.Recipients).maxItems ?? Number.POSITIVE_INFINITY

/** Fields whose rules the schema states only in part. */
const BEYOND_SCHEMA = ['Content', 'Reference', 'CallbackUrl', 'callbackUrl']

/** Domain rules by field name. A rule throws a {@link Problem}. */
type Rules = ReadonlyMap<string, (text: string) => unknown>

/**
 * The domain's rules for the fields of messages and sender IDs. Recipients' numbers are no part of those beyond the
 * schema: pricing parses them anyway, and parsing ten thousand of them twice is slow. `refusal` says why callbacks to
 * a URL are refused.
 */
export function messageRules(refusal: TargetRefusal): FieldRules {
  const callbackUrl = (url: string) => checkCallbackUrl(url, refusal)
  const rules: Rules = new Map<string, (text: string) => unknown>([
    ['From', checkSender],
    ['SenderId', checkSender],
    ['To', parseRecipient],
    ['Content', checkContent],
    ['Reference', checkReference],
    ['CallbackUrl', callbackUrl],
    ['callbackUrl', callbackUrl],
  ])
  const all = [...rules.keys()]
  return {
    tooLong: tooManyRecipients,
    broken: (body, documented) => broken(body, all, documented, rules),
    brokenBeyondSchema: (body, documented) => broken(body, BEYOND_SCHEMA, documented, rules),
    codeOf: (name) => (name === 'SendAt' ? 'invalid_send_at' : 'invalid_value'),
  }
}

function tooManyRecipients(body: unknown, documented: ReadonlySet<string>): FieldError | undefined {
  const recipients = documented.has('Recipients') ? valueAt(body, ['Recipients']) : undefined
  if (!Array.isArray(recipients) || recipients.length <= MOST_RECIPIENTS) return undefined
  const detail = `Expected at most ${MOST_RECIPIENTS} recipients; got ${recipients.length}. Split the list.`
  return { pointer: '/Recipients', code: 'too_many_recipients', detail }
}

function broken(
  body: unknown,
  names: readonly string[],
  documented: ReadonlySet<string>,
  rules: Rules,
): FieldError[] {
  const errors = timesOfSend(body, documented)
  // Hot path: every send passes here, nearly always without an error.
  for (const name of names) {
    const problem = documented.has(name) ? complaint(body, name, rules) : undefined
    if (problem) errors.push(fieldError(problem, `/${name}`))
  }
  const recipients = documented.has('Recipients') ? fieldOf(body, 'Recipients') : undefined
  if (!Array.isArray(recipients)) return errors
  const ofRecipient = names.filter((name) => name === 'To' || name === 'Reference')
  for (const [index, recipient] of recipients.entries()) {
    for (const name of ofRecipient) {
      const problem = complaint(recipient, name, rules)
      if (problem) errors.push(fieldError(problem, `/Recipients/${index}/${name}`))
    }
  }
  return errors
}

/**
 * A time in a message that is sent at once, or in one of its recipients. Other unknown fields are ignored; this one says
 * that the message must not go out yet.
 */
function timesOfSend(body: unknown, documented: ReadonlySet<string>): FieldError[] {
  const isSend = documented.has('CallbackUrl') && !documented.has('SendAt')
  if (!isSend) return []
  const recipients = documented.has('Recipients') ? fieldOf(body, 'Recipients') : undefined
  const errors = hasTime(body) ? [misplacedTime('')] : []
  for (const [index, recipient] of Array.isArray(recipients) ? recipients.entries() : [])
    if (hasTime(recipient)) errors.push(misplacedTime(`/Recipients/${index}`))
  return errors
}

function hasTime(holder: unknown): boolean {
  return (fieldOf(holder, 'SendAt') ?? undefined) !== undefined
}

function misplacedTime(holder: string): FieldError {
  return {
    pointer: `${holder}/SendAt`,
    code: 'invalid_send_at',
    detail:
      'Expected no SendAt in a message that is sent at once; it belongs to POST /v1/messages/sms/scheduled, which ' +
      'takes one message. Nothing was sent.',
  }
}

function fieldError({ code, message }: Problem, pointer: string): FieldError {
  return { pointer, code, detail: message }
}

function complaint(holder: unknown, name: string, rules: Rules): Problem | undefined {
  const value = fieldOf(holder, name)
  if (typeof value !== 'string') return undefined
  try {
    rules.get(name)?.(value)
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
}

function fieldOf(holder: unknown, name: string): unknown {
  return typeof holder === 'object' && holder !== null ? Reflect.get(holder, name) : undefined
}
