import { isUtf8 } from 'node:buffer'
import { mismatchOf } from '@wigwag/contract'
import * as z from 'zod'
import { type FieldError, invalidFields, Problem, type ProblemCode } from '../../kernel/errors.ts'

const BYTE_ORDER_MARK = '\ufeff'

/** Far deeper than any request. A body that is all brackets takes about ten times as long to parse as a bulk of its size. */
const DEEPEST = 64

/** Parses a body as UTF-8 JSON. Throws a problem when it is not. */
export function parseJson(bytes: Buffer): unknown {
  if (bytes.length === 0) throw notJson('the body is empty.')
  if (!isUtf8(bytes)) throw notJson('the body holds bytes that are not UTF-8.')
  if (isDeep(bytes)) throw notJson(`the text has more than ${DEEPEST} levels.`)
  const text = bytes.toString()
  try {
    return JSON.parse(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text)
  } catch (error) {
    const position = error instanceof Error && /at position (\d+)/.exec(error.message)?.[1]
    throw notJson(`the text is not JSON${position ? ` from position ${position}` : ''}.`)
  }
}

const [QUOTE = 0, BACKSLASH = 0, OPENING = 0, CLOSING = 0] = Buffer.from('"\\{}')
/** The one bit in which `[` differs from `{`, and `]` from `}`. */
const CURLY = 0x20

function isDeep(json: Buffer): boolean {
  let level = 0
  let inString = false
  for (let at = 0; at < json.length && level <= DEEPEST; at++) {
    const byte = json[at] ?? 0
    if (byte === QUOTE) inString = !inString
    else if (inString) at += byte === BACKSLASH ? 1 : 0
    else if ((byte | CURLY) === OPENING) level++
    else if ((byte | CURLY) === CLOSING) level--
  }
  return level > DEEPEST
}

function notJson(what: string): Problem {
  return new Problem('invalid_json', `Expected a JSON object in UTF-8; ${what}`)
}

/** Rules that the document's schemas state in part, or not at all. Each is told which fields the document describes. */
export interface FieldRules {
  /** A list that is too long. It is checked before its items: a million wrong items would make a million errors. */
  tooLong(body: unknown, documented: ReadonlySet<string>): FieldError | undefined
  /** Every field that breaks its rule. */
  broken(body: unknown, documented: ReadonlySet<string>): FieldError[]
  /** The fields that break a rule although the body fits the OpenAPI schema. */
  brokenBeyondSchema(body: unknown, documented: ReadonlySet<string>): FieldError[]
  /** The error code of a field that breaks the schema but none of these rules. */
  codeOf(name: string): ProblemCode
}

/** Returns the input as its validator types it. Throws a {@link Problem} that lists every error. */
export type Validate = <T>(validator: z.ZodType<T>, input: unknown) => T

/**
 * Checks a body against the OpenAPI schema and the domain's rules, and lists every wrong field once. The schema never
 * refuses a text that the domain allows. Where both refuse, the domain's message wins.
 */
export function validate<T>(rules: FieldRules, validator: z.ZodType<T>, input: unknown): T {
  const documented = fieldsOf(validator)
  const tooLong = rules.tooLong(input, documented)
  if (tooLong) throw invalidFields([tooLong])
  const result = validator.safeParse(input)
  if (!result.success) {
    throw invalidFields(mistakes(result.error.issues, input, documented, rules))
  }
  const errors = rules.brokenBeyondSchema(input, documented)
  if (errors.length > 0) throw invalidFields(errors)
  return result.data
}

const known = new WeakMap<z.ZodType, ReadonlySet<string>>()

/** The documented fields of an object, in the document's order. */
function fieldsOf(validator: z.ZodType): ReadonlySet<string> {
  const fields = known.get(validator) ?? new Set(namesOf(validator))
  known.set(validator, fields)
  return fields
}

function namesOf(schema: unknown): string[] {
  if (schema instanceof z.ZodObject) return Object.keys(schema.shape)
  return schema instanceof z.ZodIntersection
    ? [...namesOf(schema.def.left), ...namesOf(schema.def.right)]
    : []
}

function mistakes(
  issues: readonly z.core.$ZodIssue[],
  input: unknown,
  documented: ReadonlySet<string>,
  rules: FieldRules,
): FieldError[] {
  const broken = new Map(rules.broken(input, documented).map((error) => [error.pointer, error]))
  const errors = new Map<string, FieldError>()
  for (const issue of issues) {
    const error = fieldError(issue, input, rules.codeOf)
    if (!errors.has(error.pointer)) errors.set(error.pointer, broken.get(error.pointer) ?? error)
  }
  for (const [pointer, error] of broken) if (!errors.has(pointer)) errors.set(pointer, error)
  const order = [...documented]
  const place = ({ pointer }: FieldError) => order.indexOf(pointer.split('/')[1] ?? '')
  return [...errors.values()].sort((a, b) => place(a) - place(b))
}

function fieldError(issue: z.core.$ZodIssue, input: unknown, codeOf: FieldRules['codeOf']): FieldError {
  const pointer = issue.path.map((part) => `/${escapePointer(String(part))}`).join('')
  const name = nameOf(issue.path)
  const { expected, got } = mismatchOf(issue, input)
  if (got === undefined)
    return { pointer, code: 'missing_field', detail: `Expected ${name}, which is missing.` }
  const code = issue.code === 'invalid_type' ? 'invalid_type' : codeOf(name)
  return { pointer, code, detail: `Expected ${name} to be ${expected}; got ${got}.` }
}

function nameOf(path: readonly PropertyKey[]): string {
  const [last, list] = path.toReversed()
  if (typeof last === 'number') return `${String(list)}[${last}]`
  return last === undefined ? 'the body' : String(last)
}

function escapePointer(part: string): string {
  return part.replaceAll('~', '~0').replaceAll('/', '~1')
}
