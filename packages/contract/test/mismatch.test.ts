import { operations } from '@wigwag/contract/operations'
import { toolInputs } from '@wigwag/contract/tools'
import { expect, it } from 'vitest'
import * as z from 'zod'
import { mismatchOf } from '../src/mismatch.ts'

/** Every mismatch of a value, as one sentence. */
function mismatches(validator: z.ZodType, value: unknown): string[] {
  const { issues = [] } = validator.safeParse(value).error ?? {}
  return issues.map((issue) => {
    const { expected, got = 'nothing' } = mismatchOf(issue, value)
    return `${issue.path.join('.')}: expected ${expected}; got ${got}`
  })
}

interface Row {
  method: string
  body?: z.ZodType
  query?: z.ZodType
  pathParameters?: z.ZodType
}

const validators = Object.entries<Row>(operations).flatMap(([id, { body, query, pathParameters }]) => [
  [`the body of ${id}`, body] as const,
  [`the query of ${id}`, query] as const,
  [`the path of ${id}`, pathParameters] as const,
])
const all: [string, z.ZodType][] = [
  ...validators.flatMap(([name, validator]) => (validator ? [[name, validator] as [string, z.ZodType]] : [])),
  ...Object.entries(toolInputs),
]

/** Values that no field takes, each in every field. */
const WRONG = ['', '!', 'ftp://x', 'x'.repeat(5_000), 7, -1, 1e9, 1.5, null, true, [], {}]

function fieldsOf(schema: z.ZodType): string[] {
  if (schema instanceof z.ZodObject) return Object.keys(schema.shape)
  if (schema instanceof z.ZodIntersection)
    return [schema.def.left, schema.def.right].flatMap((part) => fieldsOf(part as z.ZodType))
  return []
}

it.each(all)('says of %s in words of ours what was expected and what came', (_, validator) => {
  const fields = fieldsOf(validator)
  const inputs = [
    undefined,
    {},
    { other: 1 },
    ...WRONG.map((wrong) => Object.fromEntries(fields.map((field) => [field, wrong]))),
    { Recipients: [{}, { To: '!' }] },
  ]
  const said = inputs.flatMap((input) => mismatches(validator, input))
  expect(said.filter((line) => /invalid|pattern|received|undefined|NaN|\[object|\$\//i.test(line))).toEqual(
    [],
  )
  expect(said.length).toBeGreaterThan(0)
})

it.each<[z.ZodType, unknown, string]>([
  [z.string(), undefined, ': expected a string; got nothing'],
  [z.string(), 7, ': expected a string; got a number'],
  [z.string(), null, ': expected a string; got null'],
  [z.int(), 'all', ': expected a number; got "all"'],
  [z.int(), 1.5, ': expected a whole number; got 1.5'],
  [z.int().max(200), 201, ': expected at most 200; got 201'],
  [z.string().min(1), '', ': expected at least 1 character; got an empty text'],
  [z.string().max(3), 'Hello', ': expected at most 3 characters; got 5 characters'],
  [z.string().max(3), '😀😀😀😀', ': expected at most 3 characters; got 4 characters'],
  [z.array(z.string()).min(1), [], ': expected a list of at least 1; got a list of 0'],
  [z.enum(['a', 'b']), 'c', ': expected one of a, b; got "c"'],
  [z.enum(['a', 'b']), 'c'.repeat(50), `: expected one of a, b; got "${'c'.repeat(40)}…"`],
  [
    z.iso.datetime({ offset: true }),
    '2026-11-20',
    ': expected a date and time with Z or an offset, such as 2026-11-20T09:30:00Z or 2026-11-20T10:30:00+01:00; got "2026-11-20"',
  ],
  [z.string().regex(/^a$/, 'Expected an a'), 'b', ': expected an a; got "b"'],
  [z.string().regex(/^a$/, 'expected an a'), 'b\u202e', ': expected an a; got "b\\u{202e}"'],
  [z.strictObject({}), { text: 1 }, ': expected no other names than the documented ones; got "text"'],
  [
    z.object({ a: z.array(z.object({ b: z.string() })) }),
    { a: [{ b: 1 }] },
    'a.0.b: expected a string; got a number',
  ],
])('turns an issue of %s with %j into phrases', (validator, value, said) => {
  expect(mismatches(validator, value)).toEqual([said])
})
