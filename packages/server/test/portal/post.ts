import type { Hono } from 'hono'
import type { FormTickets } from '../../src/net/pages/forms.tsx'

/** Posts a form as a browser would that has just been given its page. */
export async function post(
  app: Hono,
  tickets: FormTickets,
  url: string,
  fields: Record<string, string>,
): Promise<Response> {
  const { form, setCookie = '' } = tickets.issue(undefined)
  const body = new URLSearchParams({ ...fields, [form.name]: form.value }).toString()
  const headers = {
    cookie: setCookie.replace(/;.*/, ''),
    origin: new URL(url).origin,
    'sec-fetch-site': 'same-origin',
    'content-type': 'application/x-www-form-urlencoded',
    'content-length': String(body.length),
  }
  return app.fetch(new Request(url, { method: 'POST', headers, body }))
}
