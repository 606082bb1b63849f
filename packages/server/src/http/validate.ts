import type * as z from 'zod'
import { checkCallbackUrl } from '../domain/callback-url.ts'
import { type FieldError, Problem, type ProblemCode } from '../domain/errors.ts'
import { parseRecipient } from '../domain/phone.ts'
import { checkReference } from '../domain/reference.ts'
import { checkContent } from '../domain/segments.ts'
import { checkSender } from '../domain/sender.ts'
import { invalidFields } from '../gateway/prepare.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true })

export function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(utf8.decode(bytes))
  } catch (error) {
    const position = error instanceof SyntaxError ? /at position (\d+)/.exec(error.message)?.[1] : undefined
    throw new Problem(
      'invalid_json',
      bytes.length === 0
        ? 'Expected a JSON object; the body is empty.'
        : error instanceof SyntaxError
          ? `Expected a JSON object; the text is not JSON${position ? ` from position ${position}` : ''}.`
          : 'Expected a JSON object in UTF-8; the body holds bytes that are not UTF-8.',
    )
  }
}

/** The document's validator decides; what is wrong is said in the domain's words where the domain has them. */
export function validate<T>(validator: z.ZodType<T>, input: unknown): T {
  const result = validator.safeParse(input)
  if (result.success) return result.data
  const errors = result.error.issues.flatMap((issue) => fieldErrors(issue, input))
  throw invalidFields(errors)
}

/** What each field's own rule says of a value; the rules throw a {@link Problem}. */
const rules: Record<string, { check?: (value: string) => unknown; otherwise: ProblemCode }> = {
  From: { check: checkSender, otherwise: 'invalid_sender' },
  To: { check: parseRecipient, otherwise: 'invalid_recipient' },
  Content: { check: checkContent, otherwise: 'content_invalid' },
  Reference: { check: checkReference, otherwise: 'invalid_value' },
  CallbackUrl: { check: checkCallbackUrl, otherwise: 'invalid_callback_url' },
  callbackUrl: { check: checkCallbackUrl, otherwise: 'invalid_callback_url' },
  SendAt: { otherwise: 'invalid_send_at' },
}

function fieldErrors(issue: z.core.$ZodIssue, input: unknown): FieldError[] {
  const pointer = issue.path.map((part) => `/${escapePointer(String(part))}`).join('')
  const value = valueAt(input, issue.path)
  if (value === undefined && issue.path.length > 0) {
    return [{ pointer, code: 'missing_field', detail: `Expected ${nameOf(issue.path)}, which is missing.` }]
  }
  if (issue.code === 'invalid_type') {
    return [
      {
        pointer,
        code: 'invalid_type',
        detail: `Expected ${nameOf(issue.path)} to be ${article(issue.expected)}; got ${kindOf(value)}.`,
      },
    ]
  }
  const name = String(issue.path.at(-1))
  if (name === 'Recipients' && issue.code === 'too_big') {
    const detail = `Expected at most ${issue.maximum} recipients; split the list.`
    return [{ pointer, code: 'too_many_recipients', detail }]
  }
  const rule = rules[name]
  const said = rule?.check && typeof value === 'string' ? complaint(rule.check, value) : undefined
  const detail = said?.message ?? `Expected ${nameOf(issue.path)} otherwise: ${issue.message}.`
  return [{ pointer, code: said?.code ?? rule?.otherwise ?? 'invalid_value', detail }]
}

function complaint(check: (value: string) => unknown, value: string): Problem | undefined {
  try {
    check(value)
    return undefined
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let value = input
  for (const part of path) {
    if (typeof value !== 'object' || value === null) return undefined
    value = Reflect.get(value, part)
  }
  return value
}

function nameOf(path: readonly PropertyKey[]): string {
  return path.length === 0 ? 'the body' : String(path.at(-1))
}

function article(kind: string): string {
  const name = kind === 'int' ? 'whole number' : kind
  return /^[aeiou]/.test(name) ? `an ${name}` : `a ${name}`
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  return article(Array.isArray(value) ? 'array' : typeof value)
}

function escapePointer(part: string): string {
  return part.replaceAll('~', '~0').replaceAll('/', '~1')
}
