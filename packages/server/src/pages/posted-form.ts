import type { FormTickets } from './form-ticket.ts'

/** More than a person types into any form here. */
export const LARGEST_FORM = 16 * 1_024

/** What is needed of a request that posts a form. */
export interface FormRequest {
  header(name: string): string | undefined
  text(): Promise<string>
}

/** The fields of a form that came from one of our pages in this browser; undefined for any other. */
export async function postedForm(
  request: FormRequest,
  tickets: Pick<FormTickets, 'accepts'>,
): Promise<URLSearchParams | undefined> {
  const form = new URLSearchParams(await request.text())
  const from = {
    cookie: request.header('cookie'),
    origin: request.header('origin'),
    fetchSite: request.header('sec-fetch-site'),
  }
  return tickets.accepts(from, form) ? form : undefined
}
