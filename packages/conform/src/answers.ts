import { isSuccess } from './caller.ts'
import { type Visited, Wrong, whatCame } from './connector-check/visit.ts'
import { NotTried } from './not-tried.ts'
import { type Found, shown } from './shape.ts'

/** An answer in one sentence. */
export function came(visited: Visited): string {
  return `${visited.request} answered ${whatCame(visited)}`
}

export function isFound(value: unknown): value is Found {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The object in a successful answer, of whatever fields. */
export function objectIn(visited: Visited): Found {
  if (isSuccess(visited) && isFound(visited.json)) return visited.json
  throw new Wrong(came(visited))
}

/** The objects in a successful answer that is an array. */
export function arrayIn(visited: Visited): Found[] {
  const { json } = visited
  if (isSuccess(visited) && Array.isArray(json) && json.every(isFound)) return json
  throw new Wrong(came(visited))
}

/** The result of an earlier check. When that check failed, the current one counts as not tried. */
export async function needed<T>(work: Promise<T>, check: string): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (error instanceof Wrong) throw new NotTried(`needs ${check}, which failed`)
    throw error
  }
}

/** The value of a field. A check about values is not tried where the name or the type is wrong, since others say so. */
export function textIn(found: Found, name: string, about: string): string {
  const value = found[name]
  if (typeof value === 'string') return value
  throw new NotTried(`${name} is ${shown(value)}; ${about}.fields and ${about}.types say so`)
}

export function numberIn(found: Found, name: string, about: string): number {
  const value = found[name]
  if (typeof value === 'number') return value
  throw new NotTried(`${name} is ${shown(value)}; ${about}.fields and ${about}.types say so`)
}

/** Fails with what is wrong, if anything is. */
export function expectNone(wrong: readonly string[]): void {
  if (wrong.length > 0) throw new Wrong(wrong.join('; '))
}

/** Fails unless a field has this value. A field that is not text is not tried. */
export function expectText(found: Found, name: string, expected: string, about: string): void {
  const value = textIn(found, name, about)
  if (value !== expected) throw new Wrong(`${name} is ${shown(value)}; expected ${shown(expected)}`)
}

/** Fails when the server accepted it. How it refuses is left open by the specification. */
export function expectRefusal(visited: Visited): void {
  if (isSuccess(visited)) throw new Wrong(came(visited))
}
