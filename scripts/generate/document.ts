/** The parts of openapi.yaml that the generators read. */
import { readFile } from 'node:fs/promises'
import { parse } from 'yaml'

export interface Schema {
  $ref?: string
  type?: string
  format?: string
  description?: string
  example?: unknown
  enum?: string[]
  /** Values that are known; others may be added. */
  'x-extensible-enum'?: string[]
  items?: Schema
  allOf?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
  /** Left out of the tools for assistants. */
  'x-not-for-tools'?: true
  /** The property that this one is another spelling of. Left out of the SDK's types. */
  'x-alias-of'?: string
}

export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required?: boolean
  description?: string
  schema: Schema
  example?: unknown
}

interface Content {
  schema: Schema
  examples: Record<string, { value: unknown }>
}

export interface Operation {
  operationId: string
  summary: string
  description: string
  tags: [string]
  security: Record<string, string[]>[]
  parameters?: (Parameter | { $ref: string })[]
  requestBody?: { content: { 'application/json': Content } }
  responses: Record<string, { $ref: string } | { content: { 'application/json': Content } }>
  'x-extension'?: true
  'x-tool'?: string
  /** The fields of the answer without which a client can't go on; those in a list by `Items.Status`. */
  'x-decides'?: string[]
  /** Headers of the request that OpenAPI can't describe. */
  'x-headers'?: Record<string, string>
}

export interface Document {
  info: { title: string; version: string; description: string }
  tags: { name: string; description: string }[]
  paths: Record<string, Partial<Record<Method, Operation>>>
  components: {
    parameters: Record<string, Parameter>
    schemas: Record<string, Schema>
  }
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const
export type Method = (typeof METHODS)[number]

export interface Route {
  method: Method
  path: string
  operation: Operation
  parameters: Parameter[]
}

export async function readDocument(file: string): Promise<Document> {
  return parse(await readFile(file, 'utf8')) as Document
}

/** Extensions that tools of others read. The rest that begins with `x-` is for our generators alone. */
const FOR_READERS = new Set(['x-extensible-enum', 'x-logo'])

/** The document as it is served: without what only our generators read. */
export function servedDocument(document: Document): Record<string, unknown> {
  return plainObject(document)
}

function plain(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(plain)
  return typeof node === 'object' && node !== null ? plainObject(node) : node
}

function plainObject(node: object): Record<string, unknown> {
  const kept = Object.entries(node).filter(([key]) => !key.startsWith('x-') || FOR_READERS.has(key))
  // An example is a value, whatever its fields are called.
  return Object.fromEntries(
    kept.map(([key, value]) => [key, key.startsWith('example') ? value : plain(value)]),
  )
}

/** Every operation with its place and its parameters resolved, in the order of the document. */
export function routesOf(document: Document): Route[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method]
      if (!operation) return []
      const parameters = (operation.parameters ?? []).map((parameter) =>
        '$ref' in parameter ? resolveParameter(document, parameter.$ref) : parameter,
      )
      return [{ method, path, operation, parameters }]
    }),
  )
}

function resolveParameter(document: Document, ref: string): Parameter {
  const parameter = document.components.parameters[nameIn(ref)]
  if (!parameter) throw new Error(`openapi.yaml has no ${ref}`)
  return parameter
}

/** A schema's own properties and those of its `allOf` parts. */
export function propertiesOf(document: Document, schema: Schema): Record<string, Schema> {
  return Object.assign({}, ...partsOf(document, schema).map((part) => part.properties))
}

/** The names of the properties that a schema or one of its `allOf` parts requires. */
export function requiredOf(document: Document, schema: Schema): string[] {
  return partsOf(document, schema).flatMap((part) => part.required ?? [])
}

/** The reference of a schema, also where words are added to it: OpenAPI 3.0 reads none beside a `$ref`. */
export function refOf({ $ref, allOf = [], properties }: Schema): string | undefined {
  return $ref ?? (allOf.length === 1 && !properties ? allOf[0]?.$ref : undefined)
}

/** The schema that a reference is to. */
export function resolved(document: Document, schema: Schema): Schema {
  const ref = refOf(schema)
  if (!ref) return schema
  const target = document.components.schemas[nameIn(ref)]
  if (!target) throw new Error(`openapi.yaml has no ${ref}`)
  return resolved(document, target)
}

function partsOf(document: Document, schema: Schema): Schema[] {
  if (schema.$ref) return partsOf(document, resolved(document, schema))
  return [...(schema.allOf ?? []).flatMap((part) => partsOf(document, part)), schema]
}

export function nameIn(ref: string): string {
  return ref.slice(ref.lastIndexOf('/') + 1)
}

export function pascal(operationId: string): string {
  return operationId.charAt(0).toUpperCase() + operationId.slice(1)
}

export const BANNER = '// Generated from openapi.yaml by `npm run generate`. Do not edit.\n'
