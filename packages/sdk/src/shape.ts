/**
 * Where a value is not like a shape, by names and types alone: texts may be numbers and messages. A shape is an example of
 * a value with the fields that decide what is done next. A text in it stands for a text that is not empty, an empty text
 * for any, a list for one of any length, an empty list for a list of anything.
 */
export function misfit(shape: unknown, value: unknown, name: string): string | undefined {
  const type = typeOf(value)
  if (type !== typeOf(shape)) return `${name} is of type ${type}`
  if (shape && value === '') return `${name} is empty`
  if (!isRecord(shape) || !isRecord(value)) return undefined
  const isList = Array.isArray(shape)
  if (isList && !shape.length) return undefined
  for (const key in isList ? value : shape) {
    const found = misfit(shape[isList ? 0 : key], value[key], `${name}.${key}`)
    if (found) return found
  }
  return undefined
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function typeOf(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'list' : typeof value
}
