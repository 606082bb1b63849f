import { type Document, nameIn, propertiesOf, requiredOf, routesOf, type Schema } from './document.ts'

type Described = Schema & {
  description?: string
  items?: Described
  enum?: string[]
  'x-extensible-enum'?: string[]
}

/** A type that the document describes, as a table of its fields; undefined for a type that it does not describe. */
export function fieldsOf(document: Document, type: string): string | undefined {
  const name = /^Schemas\['(\w+)'\]$/.exec(type)?.[1]
  const schema: Described | undefined = name ? document.components.schemas[name] : undefined
  if (name && schema?.type === 'string') return `One of ${valuesOf(schema)}, or one that is new.`
  if (name && schema) {
    const required = requiredOf(document, schema)
    const fields = Object.entries(propertiesOf(document, schema))
    return table(fields.map(([field, one]) => row(document, field, one, required.includes(field))))
  }
  const operation = /^NonNullable<Input<'(\w+)'>\['query'\]>$/.exec(type)?.[1]
  const route = routesOf(document).find((one) => one.operation.operationId === operation)
  return (
    route &&
    table(
      route.parameters.map((one) =>
        row(document, one.name, { ...one.schema, ...described(one) }, one.required),
      ),
    )
  )
}

function described({ description }: { description?: string }): { description?: string } {
  return description === undefined ? {} : { description }
}

function table(rows: string[]): string {
  return ['| field | type | |', '|---|---|---|', ...rows].join('\n')
}

function row(document: Document, name: string, field: Described, isRequired = false): string {
  const meaning = field.description ?? resolved(document, field).description ?? ''
  return `| \`${name}\`${isRequired ? '' : '?'} | ${typeOf(document, field)} | ${oneLine(meaning)} |`
}

function typeOf(document: Document, field: Described): string {
  const { type, items } = resolved(document, field)
  if (type === 'array' && items) return `${typeOf(document, items)}[]`
  if (type === 'integer') return 'number'
  if (type !== undefined && type !== 'object') return type
  return field.$ref ? nameIn(field.$ref) : 'object'
}

function resolved(document: Document, field: Described): Described {
  return field.$ref ? (document.components.schemas[nameIn(field.$ref)] ?? field) : field
}

function valuesOf(schema: Described): string {
  return (schema['x-extensible-enum'] ?? schema.enum ?? []).map((value) => `\`${value}\``).join(', ')
}

function oneLine(text: string): string {
  return text.trim().replace(/\s+/g, ' ').replaceAll('|', '\\|')
}
