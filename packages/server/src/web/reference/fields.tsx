import type { Markup } from '../../net/pages/markup.ts'
import { type ApiDocument, found, type Parameter, type Schema, type Told, wholeSchema } from './document.ts'
import { markdown } from './markdown.tsx'

/**
 * The fields of an object, or of the objects in a list. In a request, those that it needs are marked; an answer's own
 * descriptions say when one is absent.
 */
export function fieldsOf(
  document: ApiDocument,
  told: Told<Schema>,
  of: 'request' | 'answer',
): Markup | undefined {
  const schema = wholeSchema(document, told)
  if (schema.items) return fieldsOf(document, schema.items, of)
  if (!schema.properties) return undefined
  const needed = new Set(of === 'request' ? schema.required : [])
  return (
    <dl class="fields">
      {Object.entries(schema.properties).map(([name, property]) =>
        field(document, { name, schema: property, required: needed.has(name), of }),
      )}
    </dl>
  )
}

/** The parameters of an operation. */
export function parameterList(document: ApiDocument, parameters: readonly Parameter[]): Markup {
  return (
    <dl class="fields">
      {parameters.map((parameter) =>
        field(document, { ...parameter, required: parameter.required ?? false, of: 'request' }),
      )}
    </dl>
  )
}

interface Field {
  name: string
  schema: Told<Schema>
  required: boolean
  of: 'request' | 'answer'
  /** Where a parameter is. */
  in?: string
  /** A parameter has its own, in place of its schema's. */
  description?: string
}

function field(
  document: ApiDocument,
  { name, schema: told, required, of, in: place, description }: Field,
): Markup {
  const schema = wholeSchema(document, told)
  const rules = [place && `in the ${place}`, typeOf(document, schema), ...limitsOf(schema)].filter(Boolean)
  const text = description ?? schema.description
  const values = valuesOf(schema)
  const inner = fieldsOf(document, schema, of)
  return (
    <div>
      <dt>
        <code>{name}</code> <span class="soft small">{rules.join(', ')}</span>
        {required && <span class="needed small"> required</span>}
      </dt>
      <dd>
        {text !== undefined && markdown(text)}
        {values && <p class="small">{values}</p>}
        {inner}
      </dd>
    </div>
  )
}

function typeOf(document: ApiDocument, { type, format, items }: Schema): string {
  if (items) return `list of ${typeOf(document, found(document, items))}`
  if (type === undefined) return 'object'
  return format === undefined ? type : (FORMATS[format] ?? `${type}, ${format}`)
}

const FORMATS: Readonly<Record<string, string>> = { 'date-time': 'time', uuid: 'UUID', uri: 'address' }

/** How long or large a value may be, and what it is when it is left out. */
function limitsOf(schema: Schema): string[] {
  const { minLength, maxLength, minItems, maxItems, minimum, maximum, default: usual } = schema
  return [
    rangeOf(minLength, maxLength, ' characters'),
    rangeOf(minItems, maxItems, ' entries'),
    rangeOf(minimum, maximum, ''),
    usual === undefined ? undefined : `default ${usual}`,
  ].filter((limit) => limit !== undefined)
}

function rangeOf(least: number | undefined, most: number | undefined, unit: string): string | undefined {
  const shown = (count: number) => count.toLocaleString('en')
  if (most !== undefined)
    return least === undefined ? `at most ${shown(most)}${unit}` : `${shown(least)} to ${shown(most)}${unit}`
  return least === undefined ? undefined : `at least ${shown(least)}${unit}`
}

function valuesOf({ enum: values, 'x-extensible-enum': known }: Schema): Markup | undefined {
  const all = values ?? known
  if (!all) return undefined
  return (
    <>
      One of{' '}
      {all.map((value, index) => (
        <>
          {index > 0 && ', '}
          <code>{String(value)}</code>
        </>
      ))}
    </>
  )
}
