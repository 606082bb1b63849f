import type { Hono } from 'hono'
import { actorOf, DEMO_OPERATOR } from '../../operators/index.ts'
import { createExports } from '../../pages/exports.ts'
import { assetPageReply } from '../../pages/reply.ts'
import { themeOf } from '../../pages/theme.ts'
import { proofIn } from '../../pages/widgets/proof.ts'
import type { OperatorRole } from '../../platform/database/schema.ts'
import { createRateLimit } from '../../platform/http/rate-limit.ts'
import { LARGEST_FORM, originOf, postedForm } from '../../platform/pages/forms.ts'
import { notFromHere } from '../../platform/pages/not-from-here.ts'
import { goTo, type PageContext, withKept } from '../../platform/pages/reply.ts'
import type { DeskParts } from '../parts.ts'
import type { AssetPaths } from './asset-paths.ts'
import { sessionCookie, sessionTokenOf } from './cookie.ts'
import type { ChangeGuard, Guard } from './guard.ts'
import { createLive, type LiveOptions } from './live.ts'
import { proofPage } from './proof.ts'
import { refusal } from './refusal.ts'
import { shell } from './shell.ts'
import { deskSite } from './site.ts'
import type { Page, Visit } from './visit.ts'

type Work<Rest extends unknown[]> = (visit: Visit, ...rest: Rest) => Promise<Page | Response>

/**
 * Where each place of the desk adds its pages. Session, right, limits and the origin of forms are checked here, once for
 * all. Who is not signed in is led to the sign-in.
 */
export interface Pages {
  show(path: string, guard: Guard, work: Work<[]>): void
  /** A file to download, one at a time for an operator. */
  file(path: string, guard: Guard, work: Work<[]>): void
  /** What a form of one of our pages posts. Forms from elsewhere get nowhere. */
  change(path: string, guard: ChangeGuard, work: Work<[form: URLSearchParams]>): void
  /** A stream that sends a part of a page again when it has changed. */
  live(path: string, guard: Guard, part: LiveOptions): void
}

export interface PagesOptions extends DeskParts {
  assets(): Promise<AssetPaths>
}

interface Known {
  visit: Visit
  token: string
  setCookie: string | undefined
}

const MINUTE_MS = 60_000
/** More forms than a person sends. */
const CHANGES = { perSecond: 5, burst: 30 }

export function createPages(app: Hono, options: PagesOptions): Pages {
  const { reception, tickets, url, assets, config, addressOf, clock, realClock } = options
  const exports = createExports()
  const limit = createRateLimit({ ...CHANGES, clock })
  const live = createLive(options)
  const isSandbox = config.environment === 'sandbox'

  async function visitOf(c: PageContext, isUsed = true): Promise<Known | undefined> {
    const token = sessionTokenOf(c.req.header('cookie'), url())
    const operator = await reception.who(token, isUsed)
    if (!operator || token === undefined) return undefined
    const { form, setCookie } = tickets.issue(c.req.header('cookie'))
    return { visit: { c, operator, acting: { actor: actorOf(operator.name) }, form }, token, setCookie }
  }

  async function reply(page: Page, { visit, setCookie }: Known): Promise<Response> {
    const { c, operator, form } = visit
    const html = shell({
      ...page,
      ...{ assets: await assets(), theme: themeOf(c), here: pathOf(c), name: operator.name, form, isSandbox },
    })
    return assetPageReply(c, html, { ...page, setCookie: page.setCookie ?? setCookie })
  }

  async function answer(known: Known, work: Work<[]>): Promise<Response> {
    const page = await work(known.visit)
    return page instanceof Response ? page : reply(page, known)
  }

  /** The file, the page in place of one, or an answer that says that another is being read. */
  async function fileOf(visit: Visit, work: Work<[]>): Promise<Page | Response> {
    let page: Page | undefined
    const file = await exports.begin(visit.operator.id, async () => {
      const made = await work(visit)
      if (made instanceof Response) return made
      page = made
      return new Response()
    })
    return page ?? file ?? busy()
  }

  async function answerTo(
    c: PageContext,
    { right }: Guard,
    work: Work<[]>,
    isUsed = true,
  ): Promise<Response> {
    const known = await visitOf(c, isUsed)
    if (!known) return toSignIn(c)
    return mayDo(known.visit, right) ? answer(known, work) : notAllowed()
  }

  /** What shows again who the operator is; undefined when that is not needed, or was shown with this form. */
  async function proofMissing(
    { visit, token }: Known,
    withinMinutes: number | undefined,
    form: URLSearchParams,
  ): Promise<Page | undefined> {
    const { c, operator } = visit
    if (withinMinutes === undefined || realClock.now() - operator.provenAt < withinMinutes * MINUTE_MS)
      return undefined
    // Whoever may open the sandbox's desk has nothing to show.
    if (isSandbox && operator.name === DEMO_OPERATOR) return undefined
    const proof = proofIn(form)
    // There are no passwords here.
    const shown = proof && 'password' in proof ? undefined : proof
    const site = deskSite(options)
    const result = shown && (await reception.prove(token, shown, site, addressOf(c)))
    if (result?.kind !== 'right') {
      const { takesGenerators: generators } = site
      const now = realClock.now()
      return proofPage(visit, { action: c.req.path, form, refused: result, generators, now })
    }
    c.set('keptCookie', sessionCookie(result.token, url(), result.expiresAt))
    return undefined
  }

  return {
    show(path, guard, work) {
      app.get(path, (c: PageContext) => answerTo(c, guard, work))
    },
    file(path, guard, work) {
      app.get(path, (c: PageContext) => answerTo(c, guard, (visit) => fileOf(visit, work)))
    },
    change(path, { right, provenWithinMinutes, largest = LARGEST_FORM, isFile }, work) {
      app.post(path, async (c: PageContext) => {
        if (!tickets.mayPost(originOf(c))) return notFromHere(url(), '/')
        const known = await visitOf(c)
        // Before the form is read: a stranger's never is.
        if (!known) return toSignIn(c)
        if (!mayDo(known.visit, right)) return notAllowed()
        limit({ clientId: known.visit.operator.id })
        const form = await postedForm(c, tickets, largest)
        if (!form) return notFromHere(url(), '/')
        const proof = await proofMissing(known, provenWithinMinutes, form)
        if (proof) return withKept(c, await reply(proof, known))
        const done = (visit: Visit) => work(visit, form)
        return withKept(c, await answer(known, isFile ? (visit) => fileOf(visit, done) : done))
      })
    },
    live(path, guard, part) {
      const open = live(part)
      app.get(path, (c: PageContext) => answerTo(c, guard, ({ operator }) => open(c, operator.id), false))
    },
  }
}

function mayDo({ operator }: Visit, right: OperatorRole): boolean {
  return right === 'look' || operator.role === 'act'
}

function notAllowed(): Response {
  return refusal(403, {
    title: 'You may look, not change',
    text: 'This needs an operator who acts. Nothing was done.',
    link: { href: '/', text: 'Back to the overview' },
  })
}

function busy(): Response {
  return refusal(
    429,
    {
      title: 'Another file is being downloaded',
      text: 'An operator can download one file at a time. Wait until it is complete, or cancel it, and try again.',
      link: { href: '/', text: 'Back to the overview' },
    },
    { 'retry-after': '5' },
  )
}

/** After a sign-in the person returns to the page, or to the page of the form. */
function toSignIn(c: PageContext): Response {
  return goTo(`/sign-in?next=${encodeURIComponent(pathOf(c))}`)
}

/** The path to return to: that of the page, or of the page of a form. */
function pathOf(c: PageContext): string {
  const { pathname, search } = new URL(c.req.url)
  return c.req.method === 'GET' ? pathname + search : `/${pathname.split('/')[1]}`
}
