import { html } from 'hono/html'
import type { HtmlEscapedString } from 'hono/utils/html'

/** HTML that is safe to show: what other people wrote is escaped in it. */
export type Markup = HtmlEscapedString

type Part = string | number | Markup | readonly Markup[] | false | undefined

/** Makes HTML. Every text that is put in is escaped; `false` and `undefined` are nothing. */
export function markup(strings: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  const made = html(strings, ...parts)
  if (made instanceof Promise) throw new TypeError('expected the parts of a page to be there, got a promise')
  return made
}
