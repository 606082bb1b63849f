import type { Page } from '../assistants/oauth/person.ts'

/** The text of a part of a page, without its tags. */
export function textOf(html: string): string {
  return html
    .replaceAll(/<br>|<\/(?:td|th|tr|li|p|h[1-6]|div|dd|dt)>/g, ' ')
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
    .replaceAll(/\s+/g, ' ')
    .trim()
}

/**
 * A page without what differs each time: the tickets of its forms, its keys, the time of a sandbox's clock, and the id
 * that it was asked for.
 */
export function comparable(html: string, id: string): string {
  return html
    .replaceAll(id, 'ID')
    .replaceAll(/name="(?:form_ticket|key)" value="[^"]*"/g, '')
    .replaceAll(/<time [^>]*>[^<]*<\/time>/g, '')
}

/** The section of a page with this title. */
export function sheetOf({ text }: Page, title: string): string {
  const sheets = [...text.matchAll(/<section class="sheet"[^>]*>(.*?)<\/section>/gs)].map(
    ([, html = '']) => html,
  )
  const found = sheets.find((html) => html.includes(`<h2>${title}`))
  if (found === undefined) throw new Error(`there is no ${title} on ${text}`)
  return found
}

/** The steps of a message, in the order of its page. */
export const stepsOf = (page: Page) =>
  [...sheetOf(page, 'What happened').matchAll(/<span class="what">([^<]*)</g)].map(([, what]) => what)

export const moneyOf = (page: Page) => textOf(/<tbody>(.*)<\/tbody>/s.exec(sheetOf(page, 'Money'))?.[1] ?? '')
