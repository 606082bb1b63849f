import { isUtf8 } from 'node:buffer'
import { mismatchOf, valueAt } from '@wigwag/contract'
import * as z from 'zod'
import { type FieldError, invalidFields, Problem, type ProblemCode } from '../../kernel/errors.ts'
import { isHeld, nextTurn } from '../../kernel/process/event-loop.ts'

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

/** So many items of a list are checked at once. Where each is wrong, that takes a few milliseconds. */
const ITEMS_AT_ONCE = 250

/**
 * Checks input against the OpenAPI schema and the domain's rules, and lists every wrong field once. The schema never
 * refuses a text that the domain allows. Where both refuse, the domain's message wins.
 */
export class Validation {
  readonly #rules: FieldRules

  constructor(rules: FieldRules) {
    this.#rules = rules
  }

  /** Returns the input as its validator types it. Throws a {@link Problem} that lists every error. */
  validate<T>(validator: z.ZodType<T>, input: unknown): T {
    const documented = fieldsOf(validator)
    const tooLong = this.#rules.tooLong(input, documented)
    if (tooLong) throw invalidFields([tooLong])
    const checked = this.#check(validator, input)
    if ('errors' in checked) throw invalidFields(inOrder(checked.errors, documented))
    return checked.data
  }

  /** As `validate`. The items of a long list are checked in several turns of the event loop. */
  async validateInSlices<T>(validator: z.ZodType<T>, input: unknown): Promise<T> {
    const documented = fieldsOf(validator)
    const long = longList(input, documented)
    if (!long || this.#rules.tooLong(input, documented)) return this.validate(validator, input)
    const { name, items } = long
    const parts: { part: unknown; from: number; checked: Checked<T> }[] = []
    for (let from = 0; from < items.length; from += ITEMS_AT_ONCE) {
      if (isHeld()) await nextTurn()
      const part = Object.assign({}, input, { [name]: items.slice(from, from + ITEMS_AT_ONCE) })
      parts.push({ part, from, checked: this.#check(validator, part) })
    }
    const fit = parts.flatMap(({ checked }) => ('data' in checked ? [checked.data] : []))
    if (fit.length === parts.length) {
      const whole = { [name]: fit.flatMap((data) => valueAt(data, [name])) }
      // Safe cast: each part has this list, as the validator types it.
      return Object.assign({}, fit[0], whole) as T
    }
    const errors: FieldError[] = []
    for (const { part, from, checked } of parts) {
      if (isHeld()) await nextTurn()
      const found = 'errors' in checked ? checked.errors : this.#rules.broken(part, documented)
      for (const error of found) errors.push(ofWhole(error, name, from))
    }
    throw invalidFields(inOrder(errors, documented))
  }

  #check<T>(validator: z.ZodType<T>, input: unknown): Checked<T> {
    const documented = fieldsOf(validator)
    const result = validator.safeParse(input)
    if (!result.success) {
      const broken = this.#rules.broken(input, documented)
      return { errors: mistakes(result.error.issues, input, broken, this.#rules) }
    }
    const errors = this.#rules.brokenBeyondSchema(input, documented)
    return errors.length > 0 ? { errors } : { data: result.data }
  }
}

type Checked<T> = { data: T } | { errors: readonly FieldError[] }

/** A list of the input that is checked in parts. */
function longList(
  input: unknown,
  documented: ReadonlySet<string>,
): { name: string; items: readonly unknown[] } | undefined {
  for (const name of documented) {
    const items = valueAt(input, [name])
    if (Array.isArray(items) && items.length > ITEMS_AT_ONCE) return { name, items }
  }
  return undefined
}

/** An error of a part of a list, as one of the whole. */
function ofWhole(error: FieldError, name: string, from: number): FieldError {
  const [, list, index] = error.pointer.split('/')
  if (list !== name || index === undefined) return error
  const at = Number(index) + from
  return {
    code: error.code,
    pointer: error.pointer.replace(`/${name}/${index}`, `/${name}/${at}`),
    detail: error.detail.replace(`${name}[${index}]`, `${name}[${at}]`),
  }
}

/** Each wrong field once, in the document's order. */
function inOrder(errors: readonly FieldError[], documented: ReadonlySet<string>): FieldError[] {
  const byPointer = new Map<string, FieldError>()
  for (const error of errors) if (!byPointer.has(error.pointer)) byPointer.set(error.pointer, error)
  const byField = Map.groupBy(byPointer.values(), ({ pointer }) => pointer.split('/')[1] ?? '')
  const unknown = [...byField.keys()].filter((name) => !documented.has(name))
  return [...unknown, ...documented].flatMap((name) => byField.get(name) ?? [])
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

/** All errors of both: of the schema, in the domain's words where it has some, and of the domain alone. */
function mistakes(
  issues: readonly z.core.$ZodIssue[],
  input: unknown,
  broken: readonly FieldError[],
  { codeOf }: Pick<FieldRules, 'codeOf'>,
): FieldError[] {
  const ofDomain = new Map(broken.map((error) => [error.pointer, error]))
  const ofSchema = issues.map((issue) => {
    const error = fieldError(issue, input, codeOf)
    return ofDomain.get(error.pointer) ?? error
  })
  return [...ofSchema, ...broken]
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
