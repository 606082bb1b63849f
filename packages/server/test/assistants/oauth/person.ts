import { type CookieJar, cookiesFor, keepCookies } from './cookie-jar.ts'

/** A person with a browser that keeps cookies and has no scripts, as far as forms and redirects go. */
export interface Person {
  /** Goes to a page, by redirects on the way as long as they stay on its host. */
  visit(url: string): Promise<Page>
  /** Fills in the form of a page and sends it off with one of its buttons. */
  submit(page: Page, values: Record<string, string>, form?: (action: string) => boolean): Promise<Page>
  /** Sends one request with this browser's cookies, keeps those that come back, and follows nothing. */
  send(url: string, init?: Sent): Promise<Response>
  cookies: CookieJar
}

export interface Sent {
  method?: string
  headers?: Record<string, string>
  body?: URLSearchParams | string
}

export interface Page {
  url: string
  status: number
  text: string
  headers: Headers
  /** Where a redirect went that left the host. */
  left: string | undefined
}

export function createPerson(): Person {
  const cookies: CookieJar = new Map()

  async function send(url: string, { headers, ...init }: Sent = {}): Promise<Response> {
    const cookie = cookiesFor(cookies, url)
    const sent = { ...headers, ...(cookie === '' ? {} : { cookie }) }
    const response = await fetch(url, { ...init, headers: sent, redirect: 'manual' })
    keepCookies(cookies, response.headers.getSetCookie())
    return response
  }

  async function load(url: string, init?: Sent): Promise<Page> {
    const response = await send(url, init)
    const location = response.headers.get('location')
    const text = await response.text()
    const to =
      location === null ? /http-equiv="refresh" content="0; ?url=([^"]+)"/i.exec(text)?.[1] : location
    const page = { url, status: response.status, text, headers: response.headers, left: undefined }
    if (to === undefined) return page
    const next = new URL(unescaped(to), url)
    if (next.host !== new URL(url).host) return { ...page, left: next.href }
    // A form that is sent on goes with all that is in it.
    return response.status === 307 ? load(next.href, init) : load(next.href)
  }

  return {
    cookies,
    send,
    visit: (url) => load(url),
    submit(page, values, isForm = () => true) {
      const form = formsOf(page).find(({ action }) => isForm(action))
      if (!form) throw new Error(`there is no such form on ${page.url}: ${page.text.slice(0, 500)}`)
      return load(form.action, {
        method: 'POST',
        headers: { origin: new URL(page.url).origin, 'sec-fetch-site': 'same-origin' },
        body: new URLSearchParams({ ...form.hidden, ...values }),
      })
    },
  }
}

/** Where the link leads on a page that says what went wrong. A page that went there without a click is a failure. */
export function wayBack({ left, text }: Page): URL | undefined {
  if (left !== undefined) throw new Error(`left for ${left} without a click`)
  const link = /<a class="button" href="([^"]+)" rel="/.exec(text)?.[1]
  return link === undefined ? undefined : new URL(unescaped(link))
}

export interface Form {
  /** The whole address that it is sent to. */
  action: string
  hidden: Record<string, string>
}

/** The forms of a page, in order. */
export function formsOf({ text, url }: Pick<Page, 'text' | 'url'>): Form[] {
  return [...text.matchAll(/<form\b([^>]*)>(.*?)<\/form>/gs)].map(([, attributes = '', inside = '']) => {
    const inputs = [...inside.matchAll(/<input\b([^>]*)>/g)].map(([, input = '']) => input)
    const hidden = inputs.filter((input) => attribute(input, 'type') === 'hidden')
    const action = attribute(attributes, 'action')
    return {
      action: new URL(action === '' ? url : action, url).href,
      hidden: Object.fromEntries(
        hidden.map((input) => [attribute(input, 'name'), attribute(input, 'value')]),
      ),
    }
  })
}

function attribute(text: string, name: string): string {
  return unescaped(new RegExp(`\\b${name}="([^"]*)"`).exec(text)?.[1] ?? '')
}

function unescaped(text: string): string {
  return text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
}
