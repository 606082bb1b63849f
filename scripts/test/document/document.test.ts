import { join } from 'node:path'
import { problemCodes } from '@wigwag/contract/operations'
import { describe, expect, it } from 'vitest'
import { type Route, readDocument, requiredOf, routesOf } from '../../generate/document.ts'
import { rows, type Validator } from './rows.ts'

const document = await readDocument(join(import.meta.dirname, '../../../openapi.yaml'))
const routes = routesOf(document)

const SPECIFIED = ['sendSms', 'sendBulkSms', 'getTransactionStatus', 'getBalance']

describe('the document', () => {
  it('is version 2.0.4 of the interface, in OpenAPI 3.0.3', () => {
    expect(document).toMatchObject({ openapi: '3.0.3', info: { version: '2.0.4' } })
  })

  it('marks every operation beyond the four specified ones as an extension', () => {
    const plain = routes.filter((route) => route.operation['x-extension'] !== true)
    expect(plain.map((route) => route.operation.operationId)).toEqual(SPECIFIED)
    expect(routes.length).toBeGreaterThan(SPECIFIED.length)
  })

  it('describes every schema, field, parameter, header and response', () => {
    const described = describable(document)
    expect(described.length).toBeGreaterThan(150)
    expect(described.filter(({ description }) => !description?.trim()).map(({ at }) => at)).toEqual([])
  })

  it('names every problem code in the description of a response', () => {
    const told = responsesOf(document).join('\n')
    expect(problemCodes.filter((code) => !told.includes(`\`${code}\``) && !OUTSIDE.includes(code))).toEqual(
      [],
    )
  })

  it('names no problem code that is not in the catalogue', () => {
    const codes = new Set<string>(problemCodes)
    const told = [
      ...responsesOf(document)
        .join('\n')
        .matchAll(/`([a-z]+(?:_[a-z]+)+)`/g),
    ].map(([, code]) => code)
    expect(told.length).toBeGreaterThan(20)
    expect(told.filter((code) => code !== undefined && !codes.has(code))).toEqual([])
  })
})

/** They answer requests that match no operation, so no operation's responses can tell of them. */
const OUTSIDE = ['route_not_found', 'method_not_allowed']

describe('the examples of requests', () => {
  const bodies = routes.flatMap(({ operation }) => {
    const content = operation.requestBody?.content['application/json']
    if (!content) return []
    const required = requiredOf(document, content.schema)
    return Object.entries(content.examples).map(([name, { value }]) => ({
      id: operation.operationId,
      name,
      value,
      required,
    }))
  })

  it('are there for every operation that takes a body', () => {
    const taking = routes.filter((route) => rows[route.operation.operationId]?.body)
    expect([...new Set(bodies.map(({ id }) => id))]).toEqual(
      taking.map((route) => route.operation.operationId),
    )
  })

  it.each(bodies)('$id: $name is accepted', ({ id, value }) => {
    expect(problemsOf(rows[id]?.body, value)).toEqual([])
  })

  it.each(bodies)('$id: $name is refused without one of its required fields', ({ id, value, required }) => {
    expect(required).not.toEqual([])
    for (const field of required) {
      const rest = Object.fromEntries(Object.entries(Object(value)).filter(([name]) => name !== field))
      expect(problemsOf(rows[id]?.body, rest), field).not.toEqual([])
    }
  })

  it.each(routes.filter(hasParameters))('$operation.operationId: its parameters are accepted', (route) => {
    const of = rows[route.operation.operationId]
    expect(problemsOf(of?.pathParameters, examplesOf(route, 'path'))).toEqual([])
    expect(problemsOf(of?.query, examplesOf(route, 'query'))).toEqual([])
  })
})

function hasParameters(route: Route): boolean {
  return route.parameters.some((parameter) => parameter.in !== 'header')
}

/** The examples of a route's parameters in one place, or nothing when it has none there. */
function examplesOf(route: Route, place: 'path' | 'query'): Record<string, unknown> | undefined {
  const found = route.parameters.filter((parameter) => parameter.in === place)
  if (found.length === 0) return undefined
  return Object.fromEntries(found.map(({ name, example }) => [name, example]))
}

/**
 * The validator's complaints about the value. A value without a validator, or the reverse, is an error as
 * well.
 */
function problemsOf(validator: Validator | undefined, value: unknown): string[] {
  if (!validator || value === undefined)
    return validator || value !== undefined ? ['one without the other'] : []
  return (
    validator.safeParse(value).error?.issues.map(({ path, message }) => `${path.join('/')}: ${message}`) ?? []
  )
}

interface Described {
  at: string
  description: string | undefined
}

/**
 * Every place of the document that needs a description. A reference is described at its target, a part of a
 * list by the list.
 */
function describable(root: object): Described[] {
  const found: Described[] = []
  visit(root, [])
  return found

  function visit(node: unknown, path: string[]): void {
    if (typeof node !== 'object' || node === null) return
    const parent = path.at(-2) ?? ''
    const named = ['properties', 'schemas', 'parameters', 'headers', 'responses', 'requestBodies'].includes(
      parent,
    )
    if (named && !('$ref' in node)) {
      found.push({ at: path.join('/'), description: textOf(node) })
    }
    for (const [key, value] of Object.entries(node)) {
      // An example is a value, whatever its fields are called.
      if (key !== 'example' && key !== 'examples') visit(value, [...path, key])
    }
  }
}

function responsesOf(root: object): string[] {
  return describable(root)
    .filter(({ at }) => at.split('/').at(-2) === 'responses')
    .map(({ description }) => description ?? '')
}

function textOf(node: object): string | undefined {
  return 'description' in node && typeof node.description === 'string' ? node.description : undefined
}
