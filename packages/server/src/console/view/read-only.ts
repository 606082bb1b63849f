import type { Viewed } from '../../pages/console-view.ts'
import { HEARTS } from '../../pages/document.ts'
import { type Markup, markup } from '../../platform/pages/markup.ts'

/** Where an address of the console leads from here. */
type AddressOf = (address: string) => string

/** An answer of the console as an operator gets it: no cookie, and of a page nothing that acts. */
export async function readOnly(response: Response, viewed: Viewed, addressOf: AddressOf): Promise<Response> {
  const headers = new Headers(response.headers)
  headers.delete('set-cookie')
  const location = headers.get('location')
  if (location !== null) headers.set('location', addressOf(location))
  const isPage = headers.get('content-type')?.startsWith('text/html')
  const body = isPage ? readOnlyPage(await response.text(), viewed, addressOf) : response.body
  return new Response(body, { status: response.status, headers })
}

const SCRIPT = /<script\b[^>]*><\/script>/g
const POSTED = /<form\b[^>]* method="post"[^>]*>/g
const ACTION = / action="[^"]*"/
/** What is inserted into a page has no quotes of its own, so this finds attributes alone. The desk has the same assets. */
const ADDRESS = / (href|src|action)="(\/(?!assets\/)[^"]*)"/g
const TITLE_END = ' · Wigwag</title>'
const SHELL = '<div class="shell">'

function readOnlyPage(page: string, viewed: Viewed, addressOf: AddressOf): string {
  return page
    .replace(SCRIPT, '')
    .replace(POSTED, (form) => form.replace(ACTION, '').replace('<form', '<form inert'))
    .replace(ADDRESS, (_, name: string, address: string) => ` ${name}="${addressOf(address)}"`)
    .replace(TITLE_END, () => markup` · ${viewed.account.name} · Wigwag desk</title>`.toString())
    .replace(HEARTS.real, HEARTS.desk)
    .replace(SHELL, () => `${ribbon(viewed)}\n${SHELL}`)
}

function ribbon({ account, back }: Viewed): Markup {
  const { name, status } = account
  return markup`<section class="ribbon desk" aria-label="Desk"><b>OPERATORS</b><span>The console of <bdi>${name}</bdi><span class="roomy">, as its people see it</span>. Read only.${status === 'suspended' && ' It is suspended, so none of them can sign in.'}</span><span class="end"><a class="button" href="${back}">Back<span class="roomy"> to the customer</span></a></span></section>`
}
