/** openapi.yaml → the connector's input schemas, one per operation that names its tool with `x-tool`. */
import {
  BANNER,
  type Document,
  nameIn,
  pascal,
  propertiesOf,
  type Route,
  requiredOf,
  routesOf,
  type Schema,
} from './document.ts'

export function toolInputs(document: Document): string {
  const tools = routesOf(document).flatMap((route) => {
    const tool = route.operation['x-tool']
    return tool ? [{ tool, fields: fieldsOf(document, route) }] : []
  })
  return `${BANNER}
import * as z from 'zod'
import * as validators from './validators.ts'

/** The arguments of each tool: a field that is not named here is refused. */
export const toolInputs = {
${tools.map(({ tool, fields }) => `  ${tool}: z.strictObject({${block(fields.map((f) => `${f.name}: ${f.schema}`))}}),`).join('\n')}
}

/** Each tool's arguments, and what the API calls them. */
export const wireNames = {
${tools.map(({ tool, fields }) => `  ${tool}: {${block(fields.map((f) => `${f.name}: '${f.wire}'`))}},`).join('\n')}
} as const
`
}

interface Field {
  name: string
  wire: string
  schema: string
}

function fieldsOf(document: Document, { operation, parameters }: Route): Field[] {
  const name = pascal(operation.operationId)
  const body = operation.requestBody?.content['application/json'].schema
  const required = body ? requiredOf(document, body) : []
  return [
    ...parameters
      .filter((p) => p.in !== 'header' && isForTools(document, p.schema))
      .map((p) =>
        field(p.name, p.schema, p.required === true, `z${name}${p.in === 'path' ? 'Path' : 'Query'}`),
      ),
    ...Object.entries(body ? propertiesOf(document, body) : {})
      .filter(([wire]) => /^[A-Z]/.test(wire)) // an alias would be a second argument of the same name
      .filter(([, schema]) => isForTools(document, schema))
      .map(([wire, schema]) => field(wire, schema, required.includes(wire), `z${name}Body`)),
  ]
}

function isForTools({ components }: Document, schema: Schema): boolean {
  const named = schema.$ref === undefined ? undefined : components.schemas[nameIn(schema.$ref)]
  return ![schema, named].some((one) => one?.['x-not-for-tools'])
}

/** A schema with a name of its own is used by it; one written in place is read off its parent. */
function field(wire: string, schema: Schema, required: boolean, parent: string): Field {
  const named = schema.$ref && `validators.z${nameIn(schema.$ref)}${required ? '' : '.optional()'}`
  return { name: snake(wire), wire, schema: named ?? `validators.${parent}.shape.${wire}` }
}

function snake(name: string): string {
  return name.replace(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter}`).toLowerCase()
}

function block(lines: string[]): string {
  return lines.length === 0 ? '' : `\n${lines.map((line) => `    ${line},\n`).join('')}  `
}
