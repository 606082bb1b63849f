import * as z from 'zod'
import { KEY_FORM, SENDER_FORM, URL_FORM } from './forms.ts'
import {
  zCallbackUrl,
  zCountry,
  zIdempotencyKey,
  zRecipientNumber,
  zSenderName,
} from './generated/validators.ts'
import { RECIPIENT_FORM } from './text/recipient.ts'
import { visible } from './text/visible.ts'

/** Why a value does not fit its validator, in phrases that follow "expected" and "got". */
export interface Mismatch {
  expected: string
  /** Undefined where the value is missing. */
  got: string | undefined
}

/** Short, because the quoted value may be a message in the wrong field. */
const LONGEST_QUOTE = 40

/** The patterns of the document, in words. */
const PATTERNS = new Map([
  ...inWords(zSenderName, SENDER_FORM),
  ...inWords(zRecipientNumber, RECIPIENT_FORM),
  ...inWords(zIdempotencyKey, KEY_FORM),
  ...inWords(zCallbackUrl, URL_FORM),
  ...inWords(zCountry, 'the two letters of a country, such as GH'),
])

const FORMATS = new Map([
  [
    'datetime',
    'a date and time with Z or an offset, such as 2026-11-20T09:30:00Z or 2026-11-20T10:30:00+01:00',
  ],
  ['url', URL_FORM],
  ['uuid', 'a UUID, such as 01932c07-7e5d-7c3a-9f0e-2b6d5a1c8e4f'],
])

/** Says of an issue with `input` what was expected at its place, and what came. */
export function mismatchOf(issue: z.core.$ZodIssue, input: unknown): Mismatch {
  const value = valueAt(input, issue.path)
  const { expected, got } = inPhrases(issue, value)
  return { expected, got: value === undefined ? undefined : got }
}

function inPhrases(issue: z.core.$ZodIssue, value: unknown): Record<keyof Mismatch, string> {
  switch (issue.code) {
    case 'invalid_type':
      return {
        expected: article(issue.expected),
        got: isNumber(issue.expected) ? shown(value) : kindOf(value),
      }
    case 'too_big':
      return sizes(`at most ${issue.maximum}`, value)
    case 'too_small':
      return sizes(`at least ${issue.minimum}`, value)
    case 'not_multiple_of':
      return { expected: `a multiple of ${issue.divisor}`, got: shown(value) }
    case 'invalid_value':
      return { expected: `one of ${issue.values.join(', ')}`, got: shown(value) }
    case 'invalid_format':
      return { expected: formOf(issue) ?? ownWords(issue), got: shown(value) }
    case 'unrecognized_keys':
      return { expected: 'no other names than the documented ones', got: issue.keys.map(shown).join(', ') }
    default:
      return { expected: ownWords(issue), got: kindOf(value) }
  }
}

function formOf({ format, pattern = '' }: z.core.$ZodIssueInvalidStringFormat): string | undefined {
  return PATTERNS.get(pattern) ?? FORMATS.get(format)
}

/** The message that a validator of ours has for its rule, such as "Expected a ticket". */
function ownWords({ message }: z.core.$ZodIssue): string {
  return message.replace(/^expected /i, '')
}

/** Each pattern of a schema, as issues name it, with its words. */
function inWords(schema: z.ZodType, words: string): [pattern: string, words: string][] {
  const { pattern, allOf = [] } = z.toJSONSchema(schema)
  return [pattern, ...allOf.map((part) => part.pattern)].flatMap((source) =>
    source === undefined ? [] : [[String(new RegExp(source)), words]],
  )
}

/** The value at a path; undefined where there is none. */
export function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let value = input
  for (const part of path) {
    if (typeof value !== 'object' || value === null) return undefined
    value = Reflect.get(value, part)
  }
  return value
}

function article(kind: string): string {
  const name = kind === 'int' ? 'whole number' : kind
  return /^[aeiou]/.test(name) ? `an ${name}` : `a ${name}`
}

/** A type alone: the value may be a message in the wrong field. */
function kindOf(value: unknown): string {
  if (value === null) return 'null'
  return article(Array.isArray(value) ? 'array' : typeof value)
}

function isNumber(type: string): boolean {
  return type === 'number' || type === 'int'
}

function sizes(limit: string, value: unknown): Record<keyof Mismatch, string> {
  if (Array.isArray(value)) return { expected: `a list of ${limit}`, got: `a list of ${value.length}` }
  if (typeof value !== 'string') return { expected: limit, got: shown(value) }
  const unit = limit.endsWith(' 1') ? 'character' : 'characters'
  return {
    expected: `${limit} ${unit}`,
    got: value === '' ? 'an empty text' : `${Array.from(value).length} characters`,
  }
}

/** A value: a text in quotes and on one line, what is neither text nor number by its type. */
function shown(value: unknown): string {
  if (typeof value === 'number') return String(value)
  if (typeof value !== 'string') return kindOf(value)
  return visible(JSON.stringify(value.length > LONGEST_QUOTE ? `${value.slice(0, LONGEST_QUOTE)}…` : value))
}
