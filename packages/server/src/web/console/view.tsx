import { Hono } from 'hono'
import { walletsOf } from '../../money/index.ts'
import { errorPage } from '../../net/pages/error.tsx'
import type { FormTickets } from '../../net/pages/forms.tsx'
import { type Markup, render } from '../../net/pages/markup.ts'
import { pageReply } from '../../net/pages/reply.ts'
import type { Person } from '../../sign-in/portal/index.ts'
import { assetPaths } from '../assets.ts'
import type { ConsoleView, Viewed } from '../console-view.ts'
import { HEARTS } from '../document.tsx'
import { Pages } from './frame/pages.tsx'
import { ASSETS } from './frame/shell.tsx'
import { WordSearches } from './messages/word-searches.ts'
import { PAGE_MODULES } from './mount.ts'
import type { ConsoleParts } from './parts.ts'

/**
 * The console as operators see it: its own pages, for an account that the caller names. It has no sign-in,
 * session or stream, and no routes for forms. The sandbox's parts are left out: its controls act on everyone,
 * and samples would show the demo account's secrets.
 */
export function openConsoleView(parts: ConsoleParts): ConsoleView {
  const { database, publicUrl } = parts
  const people = new WeakMap<Request, Person>()
  const site = new Hono()
  const own = { reads: undefined, searches: new WordSearches() }
  const shown = { ...parts, ...own, sandbox: undefined, tickets: NO_TICKETS }
  const pages = new PagesWithoutForms(site, shown, {
    assets: assetPaths(ASSETS),
    who: async (c) => {
      const person = people.get(c.req.raw)
      return person && { person, token: '' }
    },
  })
  for (const mount of PAGE_MODULES) mount(pages, shown)
  site.notFound(() => nothingHere())
  // For the app around this one.
  site.onError((error) => {
    throw error
  })
  const places = new Set(site.routes.map(({ path }) => firstPart(path)))

  async function personOf({ id, email, name }: Viewed['account']): Promise<Person> {
    const [wallet] = await database.read((tx) => walletsOf(tx, id))
    if (!wallet) throw new Error(`account ${id} has no wallet`)
    const nobody = { personId: '', justProven: true, proof: 'password' } as const
    return { ...nobody, accountId: id, email, name, country: '', role: 'owner', wallet }
  }

  return async function view(viewed) {
    const { account, path, query, method, cookies } = viewed
    const headers = cookies === undefined ? {} : { cookie: cookies }
    const request = new Request(`http://console.invalid${path}${query}`, { method, headers })
    people.set(request, await personOf(account))
    /** A page of the console stays in the view; what else the public port has opens there. */
    const addressOf = (address: string) =>
      places.has(firstPart(address)) ? viewed.base + address : `${publicUrl()}${address}`
    return readOnly(await site.fetch(request), viewed, addressOf)
  }
}

class PagesWithoutForms extends Pages {
  override change(): void {}
}

function nothingHere(): Response {
  const page = errorPage({
    title: 'There is nothing here',
    text: 'No page of the console has this address. It may be misspelled.',
    link: { href: '/messages', text: 'Go to the inbox' },
  })
  return pageReply(page, { status: 404 })
}

/** Nothing is posted, so forms need no tickets and browsers no cookie for them. */
const NO_TICKETS: FormTickets = {
  issue: () => ({ form: { name: 'form_ticket', value: '' }, setCookie: undefined }),
  mayPost: () => false,
  accepts: () => false,
}

/** `messages` of `/messages/1?q=x` */
function firstPart(address: string): string {
  return address.split(/[/?#]/)[1] ?? ''
}

/** Where an address of the console leads from here. */
type AddressOf = (address: string) => string

/** An answer of the console as an operator gets it: no cookie, and of a page nothing that acts. */
async function readOnly(response: Response, viewed: Viewed, addressOf: AddressOf): Promise<Response> {
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
/**
 * Inserted text has its quotes escaped, so this finds attributes alone. Assets keep their address: the desk
 * has the same.
 */
const ADDRESS = / (href|src|action)="(\/(?!assets\/)[^"]*)"/g
const TITLE_END = ' · Wigwag</title>'
const SHELL = '<div class="shell">'

function readOnlyPage(page: string, viewed: Viewed, addressOf: AddressOf): string {
  return page
    .replace(SCRIPT, '')
    .replace(POSTED, (form) => form.replace(ACTION, '').replace('<form', '<form inert'))
    .replace(ADDRESS, (_, name: string, address: string) => ` ${name}="${addressOf(address)}"`)
    .replace(TITLE_END, () => `${render(<> · {viewed.account.name} · Wigwag desk</>)}</title>`)
    .replace(HEARTS.real, HEARTS.desk)
    .replace(SHELL, () => `${render(ribbon(viewed))}\n${SHELL}`)
}

function ribbon({ account, back }: Viewed): Markup {
  const { name, status } = account
  return (
    <section class="ribbon desk" aria-label="Desk">
      <b>OPERATORS</b>
      <span>
        The console of <bdi>{name}</bdi>
        <span class="roomy">, as its people see it</span>. Read only.
        {status === 'suspended' && ' It is suspended, so none of them can sign in.'}
      </span>
      <span class="end">
        <a class="button" href={back}>
          Back<span class="roomy"> to the customer</span>
        </a>
      </span>
    </section>
  )
}
