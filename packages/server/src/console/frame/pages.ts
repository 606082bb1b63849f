import type { Hono } from 'hono'
import { statusOfSenders } from '../../accounts/index.ts'
import { createExports } from '../../pages/exports.ts'
import { assetPageReply } from '../../pages/reply.ts'
import { themeOf } from '../../pages/theme.ts'
import type { Database } from '../../platform/database/database.ts'
import { note } from '../../platform/http/body.ts'
import type { WalletPrincipal } from '../../platform/http/principal.ts'
import type { RateLimit } from '../../platform/http/rate-limit.ts'
import { type FormTicket, LARGEST_FORM, originOf, postedForm } from '../../platform/pages/forms.ts'
import { markup } from '../../platform/pages/markup.ts'
import { goTo, type PageContext, type ReplyOptions } from '../../platform/pages/reply.ts'
import { notFromHere, type Person, type PortalPages } from '../../portal/index.ts'
import type { AssetPaths } from './asset-paths.ts'
import { readRail } from './rail.ts'
import { type PageParts, type SandboxFrame, shell } from './shell.ts'

/** A request of a person who is signed in. */
export interface Visit {
  c: PageContext
  person: Person
  /** The person as a caller of the operations. */
  principal: WalletPrincipal
  /** The hidden field of every form on the page. */
  form: FormTicket
}

/** A page to show in the frame. */
export interface Page extends PageParts, ReplyOptions {}

type Work<Rest extends unknown[]> = (visit: Visit, ...rest: Rest) => Promise<Page | Response>

/** Where each part of the console adds its pages. People who are not signed in are led to the sign-in. */
export interface Pages {
  show(path: string, work: Work<[]>): void
  /** A file for the account to download, one at a time. */
  file(path: string, work: Work<[]>): void
  /** What a form of one of our pages posts. Forms from elsewhere, and larger ones in bytes, get nowhere. */
  change(path: string, work: Work<[form: URLSearchParams]>, largest?: number): void
}

export interface PagesOptions extends Pick<PortalPages, 'tickets' | 'publicUrl'> {
  database: Database
  /** Whose console a request shows; undefined when nobody is signed in. */
  who(c: PageContext): Promise<Person | undefined>
  assets(): Promise<AssetPaths>
  /** Counts each form that a person sends. Throws a problem when it is over the limit. */
  limit: RateLimit | undefined
  /** What a sandbox adds to the frame. */
  sandboxFrame?: ((visit: Visit) => Promise<SandboxFrame>) | undefined
}

interface Known {
  visit: Visit
  setCookie: string | undefined
}

export function createPages(app: Hono, options: PagesOptions): Pages {
  const { who, tickets, publicUrl, database, assets, sandboxFrame, limit } = options
  const exports = createExports()

  async function visitOf(c: PageContext): Promise<Known | undefined> {
    const person = await who(c)
    if (!person) return undefined
    const { accountId, email, wallet } = person
    note(c, { accountId })
    const senders = await database.read((tx) => statusOfSenders(tx, accountId))
    const principal = { accountId, clientId: `person:${accountId}`, wallet, senders, person: email }
    const { form, setCookie } = tickets.issue(c.req.header('cookie'))
    return { visit: { c, person, principal, form }, setCookie }
  }

  async function answer(known: Known, work: Work<[]>): Promise<Response> {
    const page = await work(known.visit)
    return page instanceof Response ? page : reply(page, known)
  }

  async function reply(page: Page, { visit, setCookie }: Known): Promise<Response> {
    const { c, person, form } = visit
    const [paths, rail, sandbox] = await Promise.all([
      assets(),
      readRail(database, person),
      sandboxFrame?.(visit),
    ])
    const theme = themeOf(c)
    const here = pathOf(c)
    const html = shell({ ...page, assets: paths, theme, here, email: person.email, form, rail, sandbox })
    return assetPageReply(c, html, { ...page, setCookie: page.setCookie ?? setCookie })
  }

  /** The file, the page in place of one, or a page that says that another is being read. */
  async function fileOf(visit: Visit, work: Work<[]>): Promise<Page | Response> {
    const { c, principal } = visit
    let page: Page | undefined
    const reply = await exports.begin(principal.accountId, async () => {
      const made = await work(visit)
      if (!(made instanceof Response)) page = made
      else if (c.req.method !== 'HEAD') return made
      else await made.body?.cancel()
      return new Response(null, made instanceof Response ? made : {})
    })
    return reply === undefined ? BUSY : (page ?? reply)
  }

  async function answerTo(c: PageContext, work: Work<[]>): Promise<Response> {
    const known = await visitOf(c)
    return known ? answer(known, work) : toSignIn(c)
  }

  return {
    show(path, work) {
      app.get(path, (c: PageContext) => answerTo(c, work))
    },
    file(path, work) {
      app.get(path, (c: PageContext) => answerTo(c, (visit) => fileOf(visit, work)))
    },
    change(path, work, largest = LARGEST_FORM) {
      app.post(path, async (c: PageContext) => {
        if (!tickets.mayPost(originOf(c))) return notFromHere(publicUrl())
        const known = await visitOf(c)
        // Before the form is read, so that a stranger costs no memory, and a person no more than the limit.
        if (!known) return toSignIn(c)
        limit?.(known.visit.principal)
        const form = await postedForm(c, tickets, largest)
        return form ? answer(known, (visit) => work(visit, form)) : notFromHere(publicUrl())
      })
    },
  }
}

const BUSY: Page = {
  title: 'One file at a time',
  place: 'inbox',
  middle: true,
  status: 429,
  headers: { 'retry-after': '5' },
  body: markup`<section class="sheet" role="alert"><h1>Another file is being downloaded</h1><p>An account can download one file at a time. Wait until it is complete, or cancel it, and try again.</p></section>`,
}

/** After a sign-in the person returns to the page, or to the page of the form. */
function toSignIn(c: PageContext): Response {
  return goTo(`/sign-in?next=${encodeURIComponent(pathOf(c))}`)
}

/** The path to return to: that of the page, or of the page of a form. */
function pathOf(c: PageContext): string {
  const { pathname, search } = new URL(c.req.url)
  const [, room] = pathname.split('/')
  return c.req.method === 'GET' ? pathname + search : `/${room}`
}
