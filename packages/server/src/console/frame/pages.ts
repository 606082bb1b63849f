import type { Hono } from 'hono'
import { statusOfSenders } from '../../accounts/index.ts'
import { createExports } from '../../pages/exports.ts'
import { assetPageReply } from '../../pages/reply.ts'
import { themeOf } from '../../pages/theme.ts'
import { proofIn } from '../../pages/widgets/proof.ts'
import { mayDo, type Right, ROLE_WORDS } from '../../people/index.ts'
import type { Database } from '../../platform/database/database.ts'
import { note } from '../../platform/http/body.ts'
import type { RateLimit } from '../../platform/http/rate-limit.ts'
import { LARGEST_FORM, originOf, postedForm } from '../../platform/pages/forms.ts'
import { markup } from '../../platform/pages/markup.ts'
import { goTo, type PageContext, withKept } from '../../platform/pages/reply.ts'
import { keepToken, notFromHere, type Person, type PortalPages, refusalOf } from '../../portal/index.ts'
import type { AssetPaths } from './asset-paths.ts'
import { proofPage } from './proof.ts'
import { readRail } from './rail.ts'
import { type SandboxFrame, shell } from './shell.ts'
import type { Page, Visit } from './visit.ts'

type Work<Rest extends unknown[]> = (visit: Visit, ...rest: Rest) => Promise<Page | Response>

/** What a form needs of the person who sends it. */
export interface ChangeGuard {
  right: Right
  /**
   * To have shown who they are within the last ten minutes. Who has not is asked, and the form is carried along; with
   * `before`, because it has fields that look like a proof, the person begins again after that.
   */
  proven?: true | 'before'
  /** The size of its form in bytes; larger ones get nowhere. */
  largest?: number
}

/**
 * Where each part of the console adds its pages. Session, right, limits and the origin of forms are checked here, once
 * for all. People who are not signed in are led to the sign-in.
 */
export interface Pages {
  show(path: string, right: Right, work: Work<[]>): void
  /** A file for the account to download, one at a time. */
  file(path: string, right: Right, work: Work<[]>): void
  /** What a form of one of our pages posts. Forms from elsewhere get nowhere. */
  change(path: string, guard: ChangeGuard, work: Work<[form: URLSearchParams]>): void
}

export interface PagesOptions
  extends Pick<PortalPages, 'proofs' | 'tickets' | 'publicUrl' | 'addressOf' | 'site' | 'realClock'> {
  database: Database
  /** Whose console a request shows; undefined when nobody is signed in. */
  who(c: PageContext): Promise<{ person: Person; token: string } | undefined>
  assets(): Promise<AssetPaths>
  /** Counts each form that a person sends. Throws a problem when it is over the limit. */
  limit: RateLimit | undefined
  /** Counts each page that a person reads. Throws a problem when it is over the limit. */
  reads: RateLimit | undefined
  /** What a sandbox adds to the frame. */
  sandboxFrame?: ((visit: Visit) => Promise<SandboxFrame>) | undefined
}

interface Known {
  visit: Visit
  setCookie: string | undefined
}

export function createPages(app: Hono, options: PagesOptions): Pages {
  const { who, proofs, tickets, publicUrl, addressOf, site, realClock } = options
  const { database, assets, sandboxFrame, limit, reads } = options
  const exports = createExports()

  async function visitOf(c: PageContext): Promise<Known | undefined> {
    const signedIn = await who(c)
    if (!signedIn) return undefined
    const { person, token } = signedIn
    const { accountId, role, wallet } = person
    note(c, { accountId })
    const senders = await database.read((tx) => statusOfSenders(tx, accountId))
    const principal = { accountId, clientId: `person:${accountId}`, wallet, senders, person: person.personId }
    const { form, setCookie } = tickets.issue(c.req.header('cookie'))
    const may = (right: Right) => mayDo(role, right)
    const { personId, email } = person
    const self = { personId, email, accountId, token }
    return { visit: { c, person, self, principal, may, form }, setCookie }
  }

  async function answer(known: Known, work: Work<[]>): Promise<Response> {
    const page = await work(known.visit)
    return page instanceof Response ? page : reply(page, known)
  }

  async function reply(page: Page, { visit, setCookie }: Known): Promise<Response> {
    const { c, person } = visit
    const [paths, rail, sandbox] = await Promise.all([
      assets(),
      readRail(database, person),
      sandboxFrame?.(visit),
    ])
    const theme = themeOf(c)
    const here = pathOf(c)
    const html = shell({ ...page, assets: paths, theme, here, visit, rail, sandbox })
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

  async function answerTo(c: PageContext, right: Right, work: Work<[]>): Promise<Response> {
    const known = await visitOf(c)
    if (!known) return toSignIn(c)
    reads?.({ clientId: known.visit.person.personId })
    return answer(known, known.visit.may(right) ? work : notAllowed)
  }

  /** Does the work once the person has shown who they are, a short while ago or with this form. Asks for it otherwise. */
  async function proveFirst(
    visit: Visit,
    how: ChangeGuard['proven'],
    form: URLSearchParams,
    work: Work<[form: URLSearchParams]>,
  ): Promise<Page | Response> {
    const { c, person, self } = visit
    // Whoever may open a sandbox's console has nothing to show.
    if (!how || person.justProven || person.proof === 'sandbox') return work(visit, form)
    if (how === 'before') return goTo(`/prove?next=${encodeURIComponent(pathOf(c))}`)
    const proof = proofIn(form)
    const result = proof && (await proofs.prove(self.token, proof, site(), addressOf(c)))
    if (result?.kind === 'right') {
      keepToken(c, publicUrl(), result)
      return work({ ...visit, self: { ...self, token: result.token } }, form)
    }
    const by = await proofs.asks(person.personId)
    return proofPage(visit, { form, by, refused: result && refusalOf(result, realClock.now()) })
  }

  return {
    show(path, right, work) {
      app.get(path, (c: PageContext) => answerTo(c, right, work))
    },
    file(path, right, work) {
      app.get(path, (c: PageContext) => answerTo(c, right, (visit) => fileOf(visit, work)))
    },
    change(path, { right, proven, largest = LARGEST_FORM }, work) {
      app.post(path, async (c: PageContext) => {
        if (!tickets.mayPost(originOf(c))) return notFromHere(publicUrl())
        const known = await visitOf(c)
        // Before the form is read: a stranger's never is.
        if (!known) return toSignIn(c)
        if (!known.visit.may(right)) return answer(known, notAllowed)
        limit?.(known.visit.principal)
        const form = await postedForm(c, tickets, largest)
        if (!form) return notFromHere(publicUrl())
        return withKept(c, await answer(known, (visit) => proveFirst(visit, proven, form, work)))
      })
    },
  }
}

/** What a person sees whose role does not let them do that. */
async function notAllowed({ person: { role, name } }: Visit): Promise<Page> {
  return {
    title: 'Your role does not allow this',
    place: 'inbox',
    middle: true,
    status: 403,
    body: markup`<section class="sheet" role="alert"><h1>Your role does not allow this</h1><p>In the account of <bdi>${name}</bdi> you are a ${role}: ${ROLE_WORDS[role]}. Nothing was done. An owner of the account can change that.</p></section>`,
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
  const [, section] = pathname.split('/')
  return c.req.method === 'GET' ? pathname + search : `/${section}`
}
