/** The parts of the OpenAPI document that the reference shows. */

/** Something of the document, or the place where it is. */
export type Told<T> = T | { $ref: string }

export interface Schema {
  type?: string
  format?: string
  description?: string
  enum?: readonly unknown[]
  /** Values that are known; others may be added. */
  'x-extensible-enum'?: readonly unknown[]
  default?: unknown
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  items?: Told<Schema>
  allOf?: readonly Told<Schema>[]
  properties?: Readonly<Record<string, Told<Schema>>>
  required?: readonly string[]
}

export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required?: boolean
  description?: string
  schema: Told<Schema>
  example?: unknown
}

export interface Example {
  summary: string
  value: unknown
}

export interface Content {
  schema: Told<Schema>
  examples: Readonly<Record<string, Example>>
}

export interface Header {
  description: string
}

export interface Answer {
  description: string
  headers?: Readonly<Record<string, Told<Header>>>
  content?: Readonly<Record<string, Content>>
}

export interface Operation {
  operationId: string
  tags: readonly string[]
  summary: string
  description: string
  security: readonly Readonly<Record<string, readonly string[]>>[]
  parameters?: readonly Told<Parameter>[]
  requestBody?: { content: Readonly<Record<string, Content>> }
  responses: Readonly<Record<string, Told<Answer>>>
  callbacks?: Readonly<Record<string, Told<Callback>>>
}

/** A request that the gateway makes, by the place of its address. */
type Callback = Readonly<Record<string, { post: Operation }>>

export interface ApiDocument {
  info: { title: string; version: string; description: string }
  tags: readonly { name: string; description: string }[]
  paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  components: {
    responses: Readonly<Record<string, Answer>>
    callbacks: Readonly<Record<string, Callback>>
  }
}

export interface Route {
  method: string
  path: string
  operation: Operation
}

/** The operations of a tag, in the order of the document. */
export function routesOf({ paths }: ApiDocument, tag: string): Route[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([, { tags }]) => tags.includes(tag))
      .map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  )
}

/** The thing itself, wherever it is. */
export function found<T extends object>(document: ApiDocument, told: Told<T>): T {
  if (!isElsewhere(told)) return told
  const [, ...path] = told.$ref.split('/')
  const target = path.reduce<unknown>((at, name) => Object(at)[name], document)
  if (target === undefined) throw new Error(`the document has no ${told.$ref}`)
  return found(document, target as Told<T>)
}

/** A schema with the properties of all that it is made of. */
export function wholeSchema(document: ApiDocument, told: Told<Schema>): Schema {
  const schema = found(document, told)
  if (!schema.allOf) return schema
  const parts = [...schema.allOf.map((part) => wholeSchema(document, part)), schema]
  return {
    ...schema,
    type: 'object',
    properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
    required: parts.flatMap(({ required }) => required ?? []),
  }
}

/** The name of a shared answer: `NotCancellable` of `#/components/responses/NotCancellable`. */
export function nameOf(told: Told<object>): string | undefined {
  return isElsewhere(told) ? told.$ref.split('/').at(-1) : undefined
}

function isElsewhere(told: object): told is { $ref: string } {
  return '$ref' in told
}

/** The content of a body, which is always JSON of one kind or another. */
export function contentOf({
  content = {},
}: {
  content?: Readonly<Record<string, Content>>
}): Content | undefined {
  return Object.values(content)[0]
}

/** Whether an operation belongs to a wallet. */
export function takesWallet({ security }: Operation): boolean {
  return security.some((each) => 'walletToken' in each)
}
