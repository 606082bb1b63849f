/** A person with a browser that keeps cookies and has no scripts, as far as forms and redirects go. */
export interface Person {
  /** Goes to a page, by redirects on the way as long as they stay on its host. */
  visit(url: string): Promise<Page>
  /** Fills in the form of a page and sends it off with one of its buttons. */
  submit(page: Page, values: Record<string, string>, form?: (action: string) => boolean): Promise<Page>
  /** Cookies by their names, to look at and to steal. */
  cookies: Map<string, string>
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
  const cookies = new Map<string, string>()

  async function load(url: string, init: RequestInit = {}): Promise<Page> {
    const headers = { ...init.headers, cookie: [...cookies].map(([k, v]) => `${k}=${v}`).join('; ') }
    const response = await fetch(url, { ...init, headers, redirect: 'manual' })
    keep(response.headers.getSetCookie())
    const location = response.headers.get('location')
    const text = await response.text()
    const to =
      location === null ? /http-equiv="refresh" content="0; ?url=([^"]+)"/i.exec(text)?.[1] : location
    const page = { url, status: response.status, text, headers: response.headers, left: undefined }
    if (to === undefined) return page
    const next = new URL(unescaped(to), url)
    if (next.host !== new URL(url).host) return { ...page, left: next.href }
    return load(next.href)
  }

  function keep(setCookies: readonly string[]): void {
    for (const text of setCookies) {
      const [pair = '', ...attributes] = text.split(';')
      const [name = '', ...value] = pair.split('=')
      const isOver = attributes.some((attribute) =>
        /^\s*(max-age=0|expires=Thu, 01 Jan 1970)/i.test(attribute),
      )
      if (isOver || value.join('=') === '') cookies.delete(name)
      else cookies.set(name, value.join('='))
    }
  }

  return {
    cookies,
    visit: (url) => load(url),
    submit(page, values, isForm = () => true) {
      const form = formsOf(page.text).find(({ action }) => isForm(action))
      if (!form) throw new Error(`there is no such form on ${page.url}: ${page.text.slice(0, 500)}`)
      return load(new URL(form.action === '' ? page.url : form.action, page.url).href, {
        method: 'POST',
        headers: { origin: new URL(page.url).origin, 'sec-fetch-site': 'same-origin' },
        body: new URLSearchParams({ ...form.hidden, ...values }),
      })
    },
  }
}

function formsOf(html: string) {
  return [...html.matchAll(/<form\b([^>]*)>(.*?)<\/form>/gs)].map(([, attributes = '', inside = '']) => {
    const inputs = [...inside.matchAll(/<input\b([^>]*)>/g)].map(([, text = '']) => text)
    const hidden = inputs.filter((text) => attribute(text, 'type') === 'hidden')
    return {
      action: attribute(attributes, 'action'),
      hidden: Object.fromEntries(hidden.map((text) => [attribute(text, 'name'), attribute(text, 'value')])),
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
