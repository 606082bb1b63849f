import { Ajv2019, type ValidateFunction } from 'ajv/dist/2019.js'
import addFormats from 'ajv-formats'
import type { Ask } from './asks.ts'
import {
  type DocumentedAnswer,
  headerShape,
  Problem,
  type Route,
  resolved,
  routesAt,
  type Shape,
} from './document.ts'
import type { Answer } from './line.ts'

const ajv = new Ajv2019({ strict: false, allErrors: true })
addFormats.default(ajv)

/**
 * Codes that the document allows, in words, for requests outside its operations: another address or method,
 * invalid HTTP, or too much of it.
 */
const ELSEWHERE: Record<string, readonly string[]> = {
  '404': ['route_not_found'],
  '405': ['method_not_allowed'],
}
const NOT_HTTP: Record<string, readonly string[]> = {
  '400': ['invalid_json'],
  '408': ['request_timeout'],
  '413': ['body_too_large'],
}

/** Headers that the document names and an answer may leave out. */
const OPTIONAL = new Set(['Idempotent-Replayed'])

/** The faults of an answer by the document. */
export function faultsOf(ask: Ask, answer: Answer): string[] {
  const routes = routesAt(ask.method, ask.target)
  const verdicts = routes.flatMap((route) => {
    const documented = route.answers[String(answer.status)]
    return documented ? [documentedFaults(route, documented, ask, answer)] : []
  })
  const common = {
    ...(ask.plain && routes.length > 0 ? {} : ELSEWHERE),
    ...(ask.plain ? {} : NOT_HTTP),
  }[String(answer.status)]
  if (common) verdicts.push(commonFaults(common, ask, answer))
  const names = routes.map(({ id }) => id).join(' or ') || 'no operation'
  const [best = [`${answer.status} is not documented for ${names}`]] = verdicts.sort(
    (a, b) => a.length - b.length,
  )
  return best
}

function documentedFaults(
  { id }: Route,
  { description, headers = {}, content }: DocumentedAnswer,
  ask: Ask,
  answer: Answer,
): string[] {
  const found = new Map(answer.headers)
  const faults = Object.entries(headers).flatMap(([name, header]) => {
    const value = found.get(name.toLowerCase())
    if (value === undefined) return OPTIONAL.has(name) ? [] : [`the header ${name} is missing`]
    const shape = headerShape(header)
    const typed = shape.type === 'integer' ? Number(value) : value
    return validatorOf(shape)(typed) ? [] : [`the header ${name} is ${value}`]
  })
  const type = found.get('content-type') ?? ''
  const schema = content[type]?.schema
  if (!schema) return [...faults, `the content type ${type} is not documented`]
  if (ask.method === 'HEAD') return faults
  const body = parsed(answer)
  faults.push(...bodyFaults(schema, body))
  if (answer.status >= 400) {
    faults.push(...problemFaults(body, answer))
    const { code } = body as { code: string }
    if (!description.includes(`\`${code}\``)) faults.push(`${id} ${answer.status} does not name ${code}`)
  }
  return faults
}

function commonFaults(codes: readonly string[], ask: Ask, answer: Answer): string[] {
  const found = new Map(answer.headers)
  const faults: string[] = []
  if (answer.status === 405 && !found.get('allow')) faults.push('405 without the header Allow')
  if (found.get('content-type') !== 'application/problem+json') faults.push('it is no problem document')
  if (ask.method === 'HEAD' || faults.length > 0) return faults
  const body = parsed(answer)
  faults.push(...bodyFaults(Problem ?? {}, body), ...problemFaults(body, answer))
  const { code } = body as { code: string }
  return codes.includes(code)
    ? faults
    : [...faults, `${code} is not what the document says of ${answer.status}`]
}

/** A problem repeats the answer's status and request id; both must agree. */
function problemFaults(body: unknown, answer: Answer): string[] {
  const { status, requestId } = body as { status?: unknown; requestId?: unknown }
  const header = new Map(answer.headers).get('x-request-id')
  return [
    ...(status === answer.status ? [] : [`a problem of status ${status} came with ${answer.status}`]),
    ...(requestId === header ? [] : [`a problem of ${requestId} came with the request id ${header}`]),
  ]
}

function parsed({ body }: Answer): unknown {
  try {
    return JSON.parse(body.toString())
  } catch {
    return undefined
  }
}

function bodyFaults(schema: Shape, body: unknown): string[] {
  const validate = validatorOf(schema)
  if (validate(body)) return []
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) =>
      `${instancePath || 'the body'} ${message} ${JSON.stringify(params)}`,
  )
}

const validators = new WeakMap<Shape, ValidateFunction>()

function validatorOf(shape: Shape): ValidateFunction {
  const known = validators.get(shape) ?? ajv.compile(closed(shape))
  validators.set(shape, known)
  return known
}

/** The schema as our own answers must fit it: no field that it doesn't name, no value that it doesn't know. */
function closed(given: Shape, isPart = false): object {
  const {
    properties,
    items,
    allOf,
    example,
    description,
    'x-extensible-enum': known,
    ...rules
  } = resolved(given)
  return {
    ...rules,
    ...(known && { enum: known }),
    ...(items && { items: closed(items) }),
    ...(allOf && { allOf: allOf.map((part) => closed(part, true)) }),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, shape]) => [name, closed(shape)]),
      ),
    }),
    ...((properties || allOf) && !isPart && { unevaluatedProperties: false }),
  }
}
