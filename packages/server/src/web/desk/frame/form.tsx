import { asSentence } from '@wigwag/contract'
import { type FormTicket, field } from '../../../net/pages/forms.tsx'
import type { Attributes, Markup } from '../../../net/pages/markup.ts'

/** Errors, or typed values, by the name of the field. */
export interface Problems {
  [name: string]: string | undefined
}

/** The values of a form, or its errors. */
export type Entered<T> = { values: T } | { problems: Problems }

/** Reads the fields of a form. A reader throws an error that says what it expected. */
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

/** The fields as typed, to show them again. */
export function typedIn(form: Pick<URLSearchParams, 'get'>, names: readonly string[]): Problems {
  return Object.fromEntries(names.map((name) => [name, form.get(name) ?? '']))
}

/** The end of every page of a form: what to press, and the way out. */
export function ending(button: Markup, back: string): Markup {
  return (
    <p class="together">
      {button}
      <a href={back}>Leave it</a>
    </p>
  )
}

export function hiddenFields(ticket: FormTicket, values: Record<string, string>): Markup {
  return (
    <>
      {Object.entries({ [ticket.name]: ticket.value, ...values }).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
    </>
  )
}

/** Makes the boxes of a form, each with the text that was typed into it and its error. `all` are attributes of each. */
export function textBoxes(typed: Problems, problems: Problems, all: Attributes = {}) {
  return function box(name: string, label: string, hint: string, more?: Attributes): Markup {
    return field({ id: name, label, hint, error: problems[name] }, (ties) => (
      <input
        class="box"
        {...ties}
        name={name}
        value={typed[name] ?? ''}
        autocomplete="off"
        {...all}
        {...more}
      />
    ))
  }
}
