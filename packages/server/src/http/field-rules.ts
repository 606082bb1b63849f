import { checkCallbackUrl } from '../domain/callback-url.ts'
import { type FieldError, Problem, type ProblemCode } from '../domain/errors.ts'
import { parseRecipient } from '../domain/phone.ts'
import { checkReference } from '../domain/reference.ts'
import { checkContent } from '../domain/segments.ts'
import { checkSender } from '../domain/sender.ts'
import type { TargetRefusal } from '../gateway/ports.ts'

export interface FieldRules {
  /** Every text that breaks its rule. */
  broken(body: unknown, documented: ReadonlySet<string>): FieldError[]
  /**
   * The texts of a body that fits the document and yet break a rule. Recipients' numbers are left out: they are
   * read when they are priced, and reading ten thousand of them twice would take its time.
   */
  brokenBeyondSchema(body: unknown, documented: ReadonlySet<string>): FieldError[]
}

/** Rules that a schema states only in part: a body that fits the document may still break them. */
const BEYOND_SCHEMA = ['Content', 'Reference', 'CallbackUrl', 'callbackUrl']

/** The code of a field that breaks the document where the domain has no words for it. */
export function codeOfField(name: string): ProblemCode {
  return name === 'SendAt' ? 'invalid_send_at' : 'invalid_value'
}

/** What the domain says of a text by its field's name; a rule throws a {@link Problem}. */
type Rules = ReadonlyMap<string, (text: string) => unknown>

/** The domain's rules for fields. `refusal` says why a callback could never be posted to a URL. */
export function createFieldRules(refusal: TargetRefusal): FieldRules {
  const callbackUrl = (url: string) => checkCallbackUrl(url, refusal)
  const rules: Rules = new Map<string, (text: string) => unknown>([
    ['From', checkSender],
    ['To', parseRecipient],
    ['Content', checkContent],
    ['Reference', checkReference],
    ['CallbackUrl', callbackUrl],
    ['callbackUrl', callbackUrl],
  ])
  const all = [...rules.keys()]
  return {
    broken: (body, documented) => broken(body, all, documented, rules),
    brokenBeyondSchema: (body, documented) => broken(body, BEYOND_SCHEMA, documented, rules),
  }
}

function broken(
  body: unknown,
  names: readonly string[],
  documented: ReadonlySet<string>,
  rules: Rules,
): FieldError[] {
  const errors: FieldError[] = []
  // Every send comes by here, nearly always without a complaint: what can be spared for it is.
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
