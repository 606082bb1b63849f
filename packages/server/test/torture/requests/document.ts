import { join } from 'node:path'
import * as generate from '../../../../../scripts/generate/document.ts'

/** A schema with the rules that the generators leave to others. */
export interface Shape extends generate.Schema {
  format?: string
  pattern?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  maxItems?: number
  items?: Shape
  allOf?: Shape[]
  properties?: Record<string, Shape>
}

export interface DocumentedAnswer {
  description: string
  headers?: Record<string, { $ref: string }>
  content: Record<string, { schema: Shape }>
}

interface Components {
  schemas: Record<string, Shape>
  responses: Record<string, DocumentedAnswer>
  headers: Record<string, { schema: Shape }>
}

const document = await generate.readDocument(join(import.meta.dirname, '../../../../../openapi.yaml'))
const components: Components = Object.assign({ responses: {}, headers: {} }, document.components)

export const { Problem } = components.schemas

export interface Route {
  id: string
  method: string
  path: string
  parameters: { name: string; in: 'path' | 'query' | 'header'; required: boolean; shape: Shape }[]
  body: Shape | undefined
  answers: Record<string, DocumentedAnswer>
}

export const ROUTES: readonly Route[] = generate
  .routesOf(document)
  .map(({ method, path, operation, parameters }) => {
    const answers: Record<string, { $ref: string } | object> = operation.responses
    return {
      id: operation.operationId,
      method: method.toUpperCase(),
      path,
      parameters: parameters.map(({ name, in: place, required = false, schema, example }) => ({
        name,
        in: place,
        required,
        shape: { example, ...schema },
      })),
      body: operation.requestBody?.content['application/json'].schema,
      answers: Object.fromEntries(
        Object.entries(answers).map(([status, answer]) => [
          status,
          '$ref' in answer
            ? named(components.responses, answer.$ref)
            : Object.assign({ description: '', content: {} }, answer),
        ]),
      ),
    }
  })

/** The header that an answer promises, and its form. */
export const headerShape = (header: { $ref: string }) => named(components.headers, header.$ref).schema

/** A schema itself, where it is named elsewhere. */
export function resolved(shape: Shape): Shape {
  return shape.$ref ? resolved(named(components.schemas, shape.$ref)) : shape
}

export const fieldsOf = (shape: Shape): Record<string, Shape> => generate.propertiesOf(document, shape)
export const requiredOf = (shape: Shape): readonly string[] => generate.requiredOf(document, shape)

function named<T>(among: Record<string, T>, ref: string): T {
  const found = among[generate.nameIn(ref)]
  if (!found) throw new Error(`openapi.yaml has no ${ref}`)
  return found
}

/** The operations that a request may be for. Paths are also compared as they are without dots and escapes. */
export function routesAt(method: string, target: string): Route[] {
  const path = (target.replace(/^https?:\/\/[^/]*/, '').split('?')[0] ?? '').split('#')[0] ?? ''
  const spellings = new Set([path, unescaped(path), normal(path), unescaped(normal(path))])
  const spelled = method === 'HEAD' ? 'GET' : method
  return [...spellings].flatMap((spelling) => {
    const found = ROUTES.filter(({ path }) => pattern(path).test(spelling))
    const [least] = found.map(parametersIn).sort()
    return found.filter((route) => parametersIn(route) === least && route.method === spelled)
  })
}

const parametersIn = ({ path }: Route) => path.split('{').length - 1
const pattern = (path: string) => new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`)

function unescaped(path: string): string {
  try {
    return decodeURI(path)
  } catch {
    return path
  }
}

function normal(path: string): string {
  try {
    return new URL(`http://gateway.invalid${path}`).pathname
  } catch {
    return path
  }
}
