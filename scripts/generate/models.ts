/**
 * openapi.yaml → the types of the SDK: a named interface for each object, whose properties carry their descriptions. Of
 * the types in openapi.ts, a property that is a reference shows none in an editor.
 */
import {
  BANNER,
  type Document,
  nameIn,
  type Operation,
  type Parameter,
  pascal,
  propertiesOf,
  type Route,
  refOf,
  requiredOf,
  resolved,
  routesOf,
  type Schema,
} from './document.ts'
import { published } from './published-names.ts'

/**
 * An enum of which no value exists, and of which nothing remains in JavaScript. Its type is a text that the compiler neither
 * compares with another one nor offers in an editor.
 */
const ENUMS = `/**
 * Stands for a status that a newer gateway adds. It is a text at run time. The types have a name for it and no value, so that
 * a comparison with a text that is no status, such as \`'delivered'\`, does not compile.
 * @example
 * import type { KnownStatus, NewerStatus } from '@wigwag/sdk'
 * const words: Partial<Record<KnownStatus | NewerStatus, string>> = { success: 'delivered', failed: 'not delivered' }
 * const inWords = (status: KnownStatus | NewerStatus) => words[status] ?? status
 */
export declare enum NewerStatus {
  added = 'added by a newer gateway',
}

/**
 * Nothing has this type. It has the compiler answer \`'delivered'\` with "Did you mean 'success'?", by a value that is nearer
 * to it than \`'undelivered'\`.
 */
export declare enum success {
  meant = 'Delivered',
}
`

export function models(document: Document): string {
  const routes = routesOf(document)
  const given = new Set(routes.flatMap(({ operation }) => bodyOf(operation)?.$ref ?? []).map(nameIn))
  return [
    BANNER,
    ENUMS,
    ...Object.entries(document.components.schemas).flatMap(([name, schema]) =>
      declared(document, name, schema, given.has(name)),
    ),
    ...routes.flatMap((route) => queryOf(document, route)),
    comment('What each operation takes and gives.'),
    `export interface Operations {\n${routes.map((route) => operationOf(document, route)).join('\n')}\n}\n`,
  ].join('\n')
}

/** An object or a closed or open list of values. Plain texts and numbers have no name: their uses are described. */
function declared(document: Document, name: string, schema: Schema, isGiven: boolean): string[] {
  const { newer } = published[name] ?? {}
  const values = valuesOf(schema, newer)
  if (values) return [documented(name, meaningOf(schema, newer)), `export type ${called(name)} = ${values}\n`]
  const [parent, own] = schema.allOf ?? [undefined, schema]
  if (!own?.properties) return []
  const heritage = parent?.$ref ? ` extends ${called(nameIn(parent.$ref))}` : ''
  const required = requiredOf(document, own)
  const { filled = {} } = published[name] ?? {}
  const fields = Object.entries(own.properties).flatMap(([field, one]) =>
    propertyOf(document, field, one, {
      isRequired: required.includes(field) && !filled[field],
      isGiven,
      more: filled[field],
    }),
  )
  return [
    documented(name, meaningOf(schema)),
    `export interface ${called(name)}${heritage} {\n${fields.join('\n')}\n}\n`,
  ]
}

function queryName(route: Route): string {
  return called(`${pascal(route.operation.operationId)}Query`)
}

function inPlace(route: Route, place: Parameter['in']): Parameter[] {
  return route.parameters.filter((parameter) => parameter.in === place)
}

function queryOf(document: Document, route: Route): string[] {
  const parameters = inPlace(route, 'query')
  if (parameters.length === 0) return []
  const query = `${pascal(route.operation.operationId)}Query`
  const { hints = {} } = published[query] ?? {}
  const fields = parameters.flatMap(({ name, schema, description, example, required }) =>
    propertyOf(
      document,
      name,
      { ...schema, ...(description && { description }), example },
      { isRequired: required === true, isGiven: true, hint: hints[name] },
    ),
  )
  const words = `The query of \`${route.operation.operationId}\`.`
  return [documented(query, words), `export interface ${queryName(route)} {\n${fields.join('\n')}\n}\n`]
}

function operationOf(document: Document, route: Route): string {
  const { operationId, summary, responses } = route.operation
  const body = bodyOf(route.operation)
  const answer = responses['200']
  if (!answer || !('content' in answer)) throw new Error(`${operationId} has no 200 with a body`)
  const query = inPlace(route, 'query')
  const parts = {
    path: inPlace(route, 'path').length > 0 ? 'string' : undefined,
    query: query.length > 0 ? queryName(route) : undefined,
    body: body && typeOf(document, body),
    output: typeOf(document, answer.content['application/json'].schema),
  }
  const lines = Object.entries(parts).map(([part, type]) => `    ${part}: ${type ?? 'undefined'}`)
  return `${comment(`${summary}.`, '  ')}\n  ${operationId}: {\n${lines.join('\n')}\n  }`
}

/** The schema of what an operation is given. */
function bodyOf({ requestBody }: Operation): Schema | undefined {
  return requestBody?.content['application/json'].schema
}

interface Property {
  isRequired: boolean
  /** Whether a program gives it: then a time may also be a `Date`. */
  isGiven: boolean
  /** Follows its description. */
  more?: string | undefined
  /** Follows its type, for what the compiler says of a wrong value. */
  hint?: string | undefined
}

/** A property with its description, or that of the schema that it refers to. */
function propertyOf(
  document: Document,
  name: string,
  field: Schema,
  { isRequired, isGiven, more, hint }: Property,
): string[] {
  const target = resolved(document, field)
  // Another spelling of a property is taken by the gateway, and offered to no one.
  if (target['x-alias-of']) return []
  const words = [(field.description ?? target.description)?.trim(), more].filter(Boolean).join(' ')
  if (!words) throw new Error(`openapi.yaml does not describe ${name}`)
  const example = field.example ?? target.example
  const isPlain = typeof example === 'number' || (typeof example === 'string' && !valuesOf(target))
  const shown = isPlain ? `${words.trim()}\nExample: \`${example}\`` : words
  const type = isGiven && target.format === 'date-time' ? 'string | Date' : typeOf(document, field)
  const types = hint ? `${type} | ${hint}` : type
  return [`${comment(shown, '  ')}\n  ${name}${isRequired ? '' : '?'}: ${types}`]
}

function typeOf(document: Document, schema: Schema): string {
  const { type, items } = schema
  const ref = refOf(schema)
  if (ref) {
    const target = resolved(document, schema)
    const isNamed = valuesOf(target) !== undefined || Object.keys(propertiesOf(document, target)).length > 0
    return isNamed ? called(nameIn(ref)) : typeOf(document, target)
  }
  const values = valuesOf(schema)
  if (values) return values
  if (type === 'array' && items) return `${typeOf(document, items)}[]`
  if (type === 'integer') return 'number'
  if (type === 'string' || type === 'number' || type === 'boolean') return type
  throw new Error(`Expected a schema of a type that has one in TypeScript; got ${JSON.stringify(schema)}`)
}

/** The values of a text: those that there are, or for an open list any other text as well, or what stands for it. */
function valuesOf(schema: Schema, newer = '(string & {})'): string | undefined {
  const open = schema['x-extensible-enum']
  const values = (open ?? schema.enum)?.map((value) => `'${value}'`)
  return values && [...values, ...(open ? [newer] : [])].join(' | ')
}

function meaningOf(schema: Schema, newer?: string): string {
  const words = schema.description?.trim() ?? ''
  return schema['x-extensible-enum'] && !newer
    ? `${words}\nThe type is open: editors complete the known values, and new ones still type-check.`
    : words
}

/** The name that the SDK gives to a schema. */
function called(name: string): string {
  return published[name]?.name ?? name
}

function documented(name: string, words: string): string {
  const { example, meaning = words } = published[name] ?? {}
  return comment(example ? `${meaning}\n@example\n${example.trim()}` : meaning)
}

function comment(words: string, indent = ''): string {
  const lines = words.trim().split('\n')
  if (lines.length === 1) return `${indent}/** ${lines[0]} */`
  return [`${indent}/**`, ...lines.map((line) => `${indent} * ${line}`.trimEnd()), `${indent} */`].join('\n')
}
