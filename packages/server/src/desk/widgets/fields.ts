import { asSentence } from '@wigwag/contract'

/** What was wrong, or what was typed, by the name of its field. */
export interface Problems {
  [name: string]: string | undefined
}

/** What was typed, as it was read; or what was wrong about it. */
export type Entered<T> = { values: T } | { problems: Problems }

/** Reads the fields of a form, each of which throws what was expected. */
export function readFields<T extends object>(
  form: Pick<URLSearchParams, 'get'>,
  readers: { [Name in keyof T & string]: (text: string) => T[Name] },
): Entered<T> {
  const values: Partial<T> = {}
  const problems: Problems = {}
  for (const name of Object.keys(readers) as (keyof T & string)[]) {
    try {
      values[name] = readers[name](form.get(name) ?? '')
    } catch (error) {
      problems[name] = sentence(error)
    }
  }
  return Object.keys(problems).length > 0 ? { problems } : { values: values as T }
}

function sentence(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  return asSentence(text.charAt(0).toUpperCase() + text.slice(1))
}

/** What was typed into some fields, to show it again. */
export function typedIn(form: Pick<URLSearchParams, 'get'>, names: readonly string[]): Problems {
  return Object.fromEntries(names.map((name) => [name, form.get(name) ?? '']))
}
