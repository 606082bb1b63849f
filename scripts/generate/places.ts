/**
 * openapi.yaml → the table by which the SDK calls each operation. `x-decides` lists the fields of the answer
 * that a client can't go on without: without a ticket, a send can't be followed. `x-headers` has headers that
 * the specification wants and OpenAPI can't describe.
 */
import {
  BANNER,
  type Document,
  type Operation,
  propertiesOf,
  type Route,
  requiredOf,
  resolved,
  routesOf,
  type Schema,
} from './document.ts'

export function places(document: Document): string {
  return `${BANNER}
/**
 * Every operation's method, path, whether it takes an idempotency key, the fields that decide in its answer, and any
 * extra headers.
 */
export const places = {
${routesOf(document)
  .map((route) => `  ${route.operation.operationId}: [${placeOf(document, route).join(', ')}],`)
  .join('\n')}
} as const
`
}

function placeOf(document: Document, { method, path, operation, parameters }: Route): string[] {
  const isSend = parameters.some(({ name }) => name === 'Idempotency-Key')
  const headers = headersOf(operation)
  return [
    `'${method.toUpperCase()}'`,
    `'${path}'`,
    `${isSend}`,
    answerOf(document, operation),
    ...(headers.length > 0 ? [`{ ${headers.join(', ')} }`] : []),
  ]
}

/** An operation that wants no wallet token is not shown the client's. */
function headersOf({ security, 'x-headers': more = {} }: Operation): string[] {
  const [own = {}] = security
  const none = 'walletToken' in own ? [] : [`'X-Wallet': null`]
  return [...none, ...Object.entries(more).map(([name, value]) => `'${name}': '${value}'`)]
}

/** An example of the answer with the fields that decide; see `Shape` of the SDK. */
function answerOf(
  document: Document,
  { operationId, responses, 'x-decides': decides = [] }: Operation,
): string {
  const answer = responses['200']
  if (!answer || !('content' in answer)) throw new Error(`${operationId} has no response 200 of its own`)
  if (decides.length === 0)
    throw new Error(`${operationId}: expected x-decides, the fields that a client needs`)
  const { schema } = answer.content['application/json']
  return exampleOf(
    document,
    schema,
    decides.map((field) => field.split('.')),
    operationId,
  )
}

function exampleOf(document: Document, given: Schema, fields: string[][], at: string): string {
  const schema = resolved(document, given)
  if (schema.type === 'array') return `[${exampleOf(document, schema.items ?? {}, fields, at)}]`
  if (schema.type === 'string') return `'s'`
  if (schema.type === 'number' || schema.type === 'integer') return '0'
  const properties = propertiesOf(document, schema)
  const required = requiredOf(document, schema)
  const named = Map.groupBy(fields, ([name = '']) => name)
  const examples = [...named].map(([name, paths]) => {
    const property = properties[name]
    if (!property || !required.includes(name))
      throw new Error(`${at}: expected ${name} to be a required field`)
    const further = paths.map(([, ...rest]) => rest).filter((rest) => rest.length > 0)
    return `${name}: ${exampleOf(document, property, further, `${at}.${name}`)}`
  })
  return examples.length === 0 ? '{}' : `{ ${examples.join(', ')} }`
}
