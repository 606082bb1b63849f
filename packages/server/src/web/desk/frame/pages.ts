import type { Hono } from 'hono'
import type { EpochMs } from '../../../kernel/ids.ts'
import { type Clock, overWithin } from '../../../kernel/process/clock.ts'
import { MINUTE_MS } from '../../../kernel/time/spans.ts'
import { TokenBuckets } from '../../../net/callers/rate-limit.ts'
import { LARGEST_FORM, originOf, postedForm } from '../../../net/pages/forms.tsx'
import { notFromHere } from '../../../net/pages/not-from-here.ts'
import { goTo, type PageContext, withKept } from '../../../net/pages/reply.ts'
import { actorOf, DEMO_OPERATOR } from '../../../sign-in/operators/index.ts'
import type { OperatorRole } from '../../../store/schema/schema.ts'
import { assetPageReply } from '../../document.tsx'
import { Exports } from '../../files.ts'
import { themeOf } from '../../theme.tsx'
import { proofIn, proofSheet } from '../../widgets/proof.tsx'
import type { DeskParts } from '../parts.ts'
import { Live, type LiveSource } from './live.ts'
import { codeHint, deskSite, type Refused, refusedWords, sessionCookie, sessionTokenOf } from './session.ts'
import { type AssetPaths, bareShell, placeOf, shell } from './shell.tsx'
import { type ChangeGuard, type Guard, type Page, type RefusalPage, refusal, type Visit } from './visit.ts'

type Work<Rest extends unknown[]> = (visit: Visit, ...rest: Rest) => Promise<Page | Response>

interface Known {
  visit: Visit
  token: string
  setCookie: string | undefined
}

/** More forms than a person sends. */
const CHANGES = { perSecond: 5, burst: 30 }

/**
 * Where each place of the desk adds its pages. Session, right, limits and the origin of forms are checked here, once for
 * all. Who is not signed in is led to the sign-in.
 */
export class Pages {
  readonly #app: Hono
  readonly #parts: DeskParts
  readonly #assets: () => Promise<AssetPaths>
  readonly #exports = new Exports()
  readonly #changes: TokenBuckets
  readonly #live: Live
  readonly #isSandbox: boolean

  constructor(app: Hono, parts: DeskParts, assets: () => Promise<AssetPaths>) {
    this.#app = app
    this.#parts = parts
    this.#assets = assets
    this.#changes = new TokenBuckets({ ...CHANGES, clock: parts.clock })
    this.#live = new Live(parts)
    this.#isSandbox = parts.config.environment === 'sandbox'
  }

  show(path: string, guard: Guard, work: Work<[]>): void {
    this.#app.get(path, (c: PageContext) => this.#answerTo(c, guard, work))
  }

  /** A file to download, one at a time for an operator. */
  file(path: string, guard: Guard, work: Work<[]>): void {
    this.#app.get(path, (c: PageContext) => this.#answerTo(c, guard, (visit) => this.#fileOf(visit, work)))
  }

  /** Handles a form of one of our pages. Forms from other sites are refused. */
  change(path: string, guard: ChangeGuard, work: Work<[form: URLSearchParams]>): void {
    const { right, provenWithinMinutes, largest = LARGEST_FORM, isFile } = guard
    const { tickets, url } = this.#parts
    this.#app.post(path, async (c: PageContext) => {
      if (!tickets.mayPost(originOf(c))) return notFromHere(url(), '/')
      const known = await this.#visitOf(c)
      // Before the form is read: a stranger's never is.
      if (!known) return toSignIn(c)
      if (!mayDo(known.visit, right)) return this.#reply(notAllowed(), known)
      this.#changes.limit({ clientId: known.visit.operator.id })
      const form = await postedForm(c, tickets, largest)
      if (!form) return notFromHere(url(), '/')
      const proof = await this.#proofMissing(known, provenWithinMinutes, form)
      if (proof) return withKept(c, await this.#reply(proof, known))
      const done = (visit: Visit) => work(visit, form)
      return withKept(c, await this.#answer(known, isFile ? (visit) => this.#fileOf(visit, done) : done))
    })
  }

  /** A stream that sends a part of a page again when it has changed. */
  live(path: string, guard: Guard, source: LiveSource): void {
    const part = this.#live.partOf(source)
    this.#app.get(path, (c: PageContext) =>
      this.#answerTo(c, guard, ({ operator }) => this.#live.open(part, c, operator.id), false),
    )
  }

  /** A page that says why there is nothing else, with the menu for who is signed in. */
  async refuse(c: PageContext, refused: RefusalPage): Promise<Response> {
    const known = await this.#visitOf(c, false)
    if (known) return this.#reply(refused, known)
    const { title, body } = refused
    const html = bareShell({ title, body, assets: await this.#assets(), theme: themeOf(c) })
    return assetPageReply(c, html, refused)
  }

  async #visitOf(c: PageContext, isUsed = true): Promise<Known | undefined> {
    const { reception, tickets, url } = this.#parts
    const token = sessionTokenOf(c.req.header('cookie'), url())
    const operator = await reception.who(token, isUsed)
    if (!operator || token === undefined) return undefined
    const { form, setCookie } = tickets.issue(c.req.header('cookie'))
    return { visit: { c, operator, acting: { actor: actorOf(operator.name) }, form }, token, setCookie }
  }

  async #answerTo(c: PageContext, { right }: Guard, work: Work<[]>, isUsed = true): Promise<Response> {
    const known = await this.#visitOf(c, isUsed)
    if (!known) return toSignIn(c)
    return mayDo(known.visit, right) ? this.#answer(known, work) : this.#reply(notAllowed(), known)
  }

  async #answer(known: Known, work: Work<[]>): Promise<Response> {
    const page = await work(known.visit)
    return page instanceof Response ? page : this.#reply(page, known)
  }

  async #reply(page: Page, { visit, setCookie }: Known): Promise<Response> {
    const { c, operator, form } = visit
    const html = shell({
      ...page,
      assets: await this.#assets(),
      theme: themeOf(c),
      here: pathOf(c),
      name: operator.name,
      form,
      isSandbox: this.#isSandbox,
    })
    return assetPageReply(c, html, { ...page, setCookie: page.setCookie ?? setCookie })
  }

  /** The file, the page in place of one, or an answer that says that another is being read. */
  async #fileOf(visit: Visit, work: Work<[]>): Promise<Page | Response> {
    let page: Page | undefined
    const file = await this.#exports.begin(visit.operator.id, async () => {
      const made = await work(visit)
      if (made instanceof Response) return made
      page = made
      return new Response()
    })
    return page ?? file ?? busy()
  }

  /** The page that asks for a proof; undefined when none is needed, or the form came with a good one. */
  async #proofMissing(
    { visit, token }: Known,
    withinMinutes: number | undefined,
    form: URLSearchParams,
  ): Promise<Page | undefined> {
    const { reception, realClock, addressOf, url } = this.#parts
    const { c, operator } = visit
    if (withinMinutes === undefined || realClock.now() - operator.provenAt < withinMinutes * MINUTE_MS)
      return undefined
    // The sandbox's operator signs in without a proof, so there is none to ask for.
    if (this.#isSandbox && operator.name === DEMO_OPERATOR) return undefined
    const proof = proofIn(form)
    // There are no passwords here.
    const shown = proof && 'password' in proof ? undefined : proof
    const site = deskSite(this.#parts)
    const result = shown && (await reception.prove(token, shown, site, addressOf(c)))
    if (result?.kind !== 'right') {
      const { takesGenerators: generators } = site
      const now = realClock.now()
      return proofPage(visit, { action: c.req.path, form, refused: result, generators, now })
    }
    c.set('keptCookie', sessionCookie(result.token, url(), result.expiresAt))
    return undefined
  }
}

function mayDo({ operator }: Visit, right: OperatorRole): boolean {
  return right === 'look' || operator.role === 'act'
}

function notAllowed(): Page {
  return refusal(403, {
    title: 'You may look, not change',
    text: 'This needs an operator who acts. Nothing was done.',
    link: { href: '/', text: 'Back to the overview' },
  })
}

function busy(): Page {
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

interface ProofRequest {
  /** Where the form goes that waits for it. */
  action: string
  form: URLSearchParams
  /** Why what was shown did not do. */
  refused: Refused | undefined
  /** Whether a generator's code does here. */
  generators: boolean
  now: EpochMs
}

/** Asks who the operator is before a form is taken. */
function proofPage({ form: ticket }: Visit, request: ProofRequest): Page {
  const { action, form, refused, generators, now } = request
  return {
    title: 'Is it you?',
    place: placeOf(action),
    middle: true,
    status: refused?.kind === 'locked' ? 429 : 401,
    body: proofSheet({
      ticket,
      action,
      form,
      by: 'factor',
      options: '/passkey/prove',
      leave: '/',
      codes: codeHint(generators),
      error: refused && `${refusedWords(refused, now, 'That did not fit.')} Nothing was done yet.`,
    }),
  }
}

/** How long a browser waits for a change that goes on without it. */
const WAIT_MS = 2_000

/** Resolves when the work is over, or after as long as a browser waits. */
export async function overOrLate(work: Promise<unknown>, clock: Pick<Clock, 'after'>): Promise<void> {
  await overWithin(clock, WAIT_MS, work)
}
