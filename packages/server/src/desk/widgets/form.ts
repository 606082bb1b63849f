import type { FormTicket } from '../../platform/pages/forms.ts'
import { type Markup, markup } from '../../platform/pages/markup.ts'

/** The end of every page of a form: what to press, and the way out. */
export function ending(button: Markup, back: string): Markup {
  return markup`<p class="together">${button}<a href="${back}">Leave it</a></p>`
}

export function hiddenFields(ticket: FormTicket, values: Record<string, string>): Markup {
  return markup`${Object.entries({ [ticket.name]: ticket.value, ...values }).map(
    ([name, value]) => markup`<input type="hidden" name="${name}" value="${value}">`,
  )}`
}
