import { readFields } from '../../../platform/http/fields.ts'

/** What a reply or a receipt says, for looking up values by path. */
export interface Parsed {
  /** The text, number or truth value at a path, as text. */
  at(path: string): string | undefined
  /** The elements of the list at a path; one element when it is no list. Without a path, of the whole. */
  itemsAt(path: string | undefined): readonly Parsed[]
}

const EMPTY: Parsed = { at: () => undefined, itemsAt: () => [] }

/** Reads JSON; undefined when it is none. A path such as `messages.0.status` names fields and places in lists. */
export function parseJson(bytes: Uint8Array): Parsed | undefined {
  try {
    return parsedJson(JSON.parse(Buffer.from(bytes).toString('utf8'), keepLongNumbers))
  } catch {
    return undefined
  }
}

/** Reads a form or a query; a path is the name of a field. Undefined when there are too many fields. */
export function parseForm(text: string): Parsed | undefined {
  const fields = readFields(text)
  if (fields === undefined) return undefined
  const parsed: Parsed = {
    at: (path) => fields.get(path) ?? undefined,
    itemsAt: () => [parsed],
  }
  return parsed
}

/** Reads a text by a pattern; a path is the name of a group. */
export function parseText(text: string, pattern: RegExp): Parsed {
  const groups = pattern.exec(text)?.groups
  if (groups === undefined) return EMPTY
  const parsed: Parsed = { at: (path) => groups[path], itemsAt: () => [parsed] }
  return parsed
}

function parsedJson(value: unknown): Parsed {
  return {
    at: (path) => textOf(walk(value, path)),
    itemsAt(path) {
      const found = path === undefined ? value : walk(value, path)
      if (found === undefined) return []
      return Array.isArray(found) ? found.map(parsedJson) : [parsedJson(found)]
    },
  }
}

function walk(value: unknown, path: string): unknown {
  let found: unknown = value
  for (const step of path.split('.')) {
    if (typeof found !== 'object' || found === null) return undefined
    found = Reflect.get(found, step)
  }
  return found
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : undefined
}

/** Some providers' references are numbers of more digits than a JavaScript number holds. */
function keepLongNumbers(_name: string, value: unknown, context?: { source: string }): unknown {
  const isLong = typeof value === 'number' && !Number.isSafeInteger(value)
  return isLong && context !== undefined && /^-?\d+$/.test(context.source) ? context.source : value
}
