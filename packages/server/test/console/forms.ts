import type { Page, Person } from '../assistants/oauth/person.ts'

/** Texts that a page's forms carry along in text fields that are not shown. */
function carriedIn({ text }: Page): Record<string, string> {
  const areas = [...text.matchAll(/<textarea\b[^>]*\bhidden name="(\w+)"[^>]*>\n?(.*?)<\/textarea>/gs)]
  return Object.fromEntries(areas.map(([, name = '', value = '']) => [name, unescaped(value)]))
}

/** Presses a button of a form, as a browser without scripts would: with everything that the form carries. */
export function press(
  person: Person,
  page: Page,
  action: string,
  values: Record<string, string> = {},
): Promise<Page> {
  return person.submit(page, { ...carriedIn(page), ...values }, (to) => new URL(to).pathname === action)
}

/** The value of the hidden field that makes a form send once. */
export function keyOf({ text }: Page): string {
  return /name="key" value="([^"]*)"/.exec(text)?.[1] ?? ''
}

/** The words of a page, without its tags. */
export function wordsOf({ text }: Page): string {
  const main = text.slice(text.indexOf('<main'), text.indexOf('</main>'))
  return unescaped(main.replace(/<[^>]*>/g, ' ')).replace(/\s+/g, ' ')
}

function unescaped(text: string): string {
  return text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
}
