import type { HtmlEscapedString } from 'hono/utils/html'

/** A piece of a page, as JSX makes it: safe HTML. */
export type Markup = HtmlEscapedString

/** Attributes that a page puts into a tag. */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>

/** The HTML of a piece of a page. */
export function render(markup: Markup): string {
  return markup.toString()
}
