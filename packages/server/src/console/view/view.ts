import { Hono } from 'hono'
import { walletsOf } from '../../money/index.ts'
import { assetPaths } from '../../pages/assets.ts'
import type { ConsoleView, Viewed } from '../../pages/console-view.ts'
import { errorPage } from '../../platform/pages/error.ts'
import type { FormTickets } from '../../platform/pages/forms.ts'
import { pageReply } from '../../platform/pages/reply.ts'
import type { Person } from '../../portal/index.ts'
import { ASSETS } from '../frame/asset-paths.ts'
import { createPages } from '../frame/pages.ts'
import { WordSearches } from '../inbox/word-searches.ts'
import { PAGE_MODULES } from '../mount.ts'
import type { ConsoleParts } from '../parts.ts'
import { readOnly } from './read-only.ts'

/**
 * The console as operators look at it: its own pages, for an account that the caller names. It has no sign-in, no
 * session and no stream, and no form has a route. What only a sandbox has is left out: its controls act on everyone, and
 * the demo account's secrets are shown there.
 */
export function createConsoleView(parts: ConsoleParts): ConsoleView {
  const { database, publicUrl } = parts
  const people = new WeakMap<Request, Person>()
  const site = new Hono()
  const own = { reads: undefined, searches: new WordSearches() }
  const options = { ...parts, ...own, sandbox: undefined, tickets: NO_TICKETS }
  const pages = {
    ...createPages(site, {
      ...options,
      assets: assetPaths(ASSETS),
      who: async (c) => {
        const person = people.get(c.req.raw)
        return person && { person, token: '' }
      },
    }),
    change() {},
  }
  for (const mount of PAGE_MODULES) mount(pages, options)
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
    return { ...nobody, accountId: id, email, name, role: 'owner', wallet }
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
