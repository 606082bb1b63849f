import { html } from 'hono/html'
import type { HtmlEscapedString } from 'hono/utils/html'

/** Safe HTML: all inserted text is escaped. */
export type Markup = HtmlEscapedString

type Part = string | number | Markup | readonly Markup[] | false | undefined

/** Builds HTML. Escapes every inserted text; `false` and `undefined` insert nothing. */
export function markup(strings: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  const made = html(strings, ...parts)
  if (made instanceof Promise) throw new TypeError('expected the parts of a page to be there, got a promise')
  return made
}
