import type { Hono } from 'hono'
import { statusOfSenders } from '../../../accounts/index.ts'
import { mayDo, type Right, ROLE_WORDS } from '../../../accounts/people/index.ts'
import { LARGEST_FORM, originOf, postedForm } from '../../../net/pages/forms.tsx'
import { goTo, type PageContext, retryHeader, withKept } from '../../../net/pages/reply.ts'
import { note } from '../../../net/server/body.ts'
import {
  keepToken,
  notFromHere,
  type Person,
  type Refusal,
  refusalOf,
} from '../../../sign-in/portal/index.ts'
import { assetPageReply } from '../../document.tsx'
import { Exports } from '../../files.ts'
import { themeOf } from '../../theme.tsx'
import { proofIn, proofSheet } from '../../widgets/proof.tsx'
import type { ConsoleParts } from '../parts.ts'
import { GROUPS, type PlaceId, readRail } from './rail.ts'
import { type AssetPaths, type SandboxFrame, shell } from './shell.tsx'
import type { Page, Visit } from './visit.tsx'

type Work<Rest extends unknown[]> = (visit: Visit, ...rest: Rest) => Promise<Page | Response>

/** Conditions on the person who sends a form. */
interface ChangeGuard {
  right: Right
  /**
   * Requires a proof of identity within the last ten minutes. Without one, the person is asked for it and the
   * form is carried along. With `before`, the person fills in the form again afterwards: its fields look like
   * a proof.
   */
  proven?: true | 'before'
  /** The largest form in bytes. Larger ones are refused. */
  largest?: number
}

/**
 * Where each part of the console adds its pages. Session, right, limits and the origin of forms are checked here, once
 * for all. People who are not signed in are led to the sign-in.
 */
export class Pages {
  readonly #app: Hono
  readonly #parts: Checks
  readonly #who: (c: PageContext) => Promise<{ person: Person; token: string } | undefined>
  readonly #assets: () => Promise<AssetPaths>
  readonly #sandboxFrame: ((visit: Visit) => Promise<SandboxFrame>) | undefined
  readonly #exports = new Exports()

  constructor(
    app: Hono,
    parts: Checks,
    own: {
      /** Whose console a request shows; undefined when nobody is signed in. */
      who(c: PageContext): Promise<{ person: Person; token: string } | undefined>
      assets(): Promise<AssetPaths>
      /** Only in a sandbox. */
      sandboxFrame?: ((visit: Visit) => Promise<SandboxFrame>) | undefined
    },
  ) {
    this.#app = app
    this.#parts = parts
    this.#who = own.who
    this.#assets = own.assets
    this.#sandboxFrame = own.sandboxFrame
  }

  show(path: string, right: Right, work: Work<[]>): void {
    this.#app.get(path, (c: PageContext) => this.#answerTo(c, right, work))
  }

  /** A file for the account to download, one at a time. */
  file(path: string, right: Right, work: Work<[]>): void {
    this.#app.get(path, (c: PageContext) => this.#answerTo(c, right, (visit) => this.#fileOf(visit, work)))
  }

  /** Handles a form of one of our pages. Forms from other sites are refused. */
  change(
    path: string,
    { right, proven, largest = LARGEST_FORM }: ChangeGuard,
    work: Work<[form: URLSearchParams]>,
  ): void {
    const { tickets, publicUrl, limit } = this.#parts
    this.#app.post(path, async (c: PageContext) => {
      if (!tickets.mayPost(originOf(c))) return notFromHere(publicUrl())
      const known = await this.#visitOf(c)
      // Before the form is read: a stranger's never is.
      if (!known) return toSignIn(c)
      if (!known.visit.may(right)) return this.#answer(known, notAllowed)
      limit?.(known.visit.principal)
      const form = await postedForm(c, tickets, largest)
      if (!form) return notFromHere(publicUrl())
      return withKept(c, await this.#answer(known, (visit) => this.#proveFirst(visit, proven, form, work)))
    })
  }

  async #answerTo(c: PageContext, right: Right, work: Work<[]>): Promise<Response> {
    const known = await this.#visitOf(c)
    if (!known) return toSignIn(c)
    this.#parts.reads?.({ clientId: known.visit.person.personId })
    return this.#answer(known, known.visit.may(right) ? work : notAllowed)
  }

  async #visitOf(c: PageContext): Promise<Known | undefined> {
    const { database, tickets } = this.#parts
    const signedIn = await this.#who(c)
    if (!signedIn) return undefined
    const { person, token } = signedIn
    const { accountId, role, wallet } = person
    note(c, { accountId })
    const senders = await database.read((tx) => statusOfSenders(tx, accountId))
    const { form, setCookie } = tickets.issue(c.req.header('cookie'))
    const may = (right: Right) => mayDo(role, right)
    const { personId, email } = person
    const principal = {
      accountId,
      clientId: `person:${accountId}`,
      wallet,
      senders,
      person: personId,
      ...(!may('texts') && { withoutTexts: true as const }),
    }
    const self = { personId, email, accountId, token }
    return { visit: { c, person, self, principal, may, form }, setCookie }
  }

  async #answer(known: Known, work: Work<[]>): Promise<Response> {
    const page = await work(known.visit)
    return page instanceof Response ? page : this.#reply(page, known)
  }

  async #reply(page: Page, { visit, setCookie }: Known): Promise<Response> {
    const { c, person } = visit
    const [paths, rail, sandbox] = await Promise.all([
      this.#assets(),
      readRail(this.#parts.database, person, this.#parts.clock.now()),
      this.#sandboxFrame?.(visit),
    ])
    const theme = themeOf(c)
    const here = pathOf(c)
    const html = shell({ ...page, assets: paths, theme, here, visit, rail, sandbox })
    return assetPageReply(c, html, { ...page, setCookie: page.setCookie ?? setCookie })
  }

  /** The file, the page in place of one, or a page that says that another is being read. */
  async #fileOf(visit: Visit, work: Work<[]>): Promise<Page | Response> {
    const { c, principal } = visit
    let page: Page | undefined
    const reply = await this.#exports.begin(principal.accountId, async () => {
      const made = await work(visit)
      if (!(made instanceof Response)) page = made
      else if (c.req.method !== 'HEAD') return made
      else await made.body?.cancel()
      return new Response(null, made instanceof Response ? made : {})
    })
    return reply === undefined ? BUSY : (page ?? reply)
  }

  /** Does the work once the person has shown who they are, a short while ago or with this form. Asks for it otherwise. */
  async #proveFirst(
    visit: Visit,
    how: ChangeGuard['proven'],
    form: URLSearchParams,
    work: Work<[form: URLSearchParams]>,
  ): Promise<Page | Response> {
    const { proofs, publicUrl, addressOf, site, realClock } = this.#parts
    const { c, person, self } = visit
    // The sandbox signed this person in without a proof, so there is none to ask for.
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
}

/** The parts that the checks before a page need. */
type Checks = Pick<
  ConsoleParts,
  | 'database'
  | 'clock'
  | 'proofs'
  | 'tickets'
  | 'publicUrl'
  | 'addressOf'
  | 'site'
  | 'realClock'
  | 'limit'
  | 'reads'
>

interface Known {
  visit: Visit
  setCookie: string | undefined
}

/** The page for a person whose role does not include the right. */
async function notAllowed({ person: { role, name } }: Visit): Promise<Page> {
  return {
    title: 'Your role does not allow this',
    place: 'inbox',
    middle: true,
    status: 403,
    body: (
      <section class="sheet" role="alert">
        <h1>Your role does not allow this</h1>
        <p>
          In the account of <bdi>{name}</bdi> you are a {role}: {ROLE_WORDS[role]}. Nothing was done. An owner
          of the account can change that.
        </p>
      </section>
    ),
  }
}

const BUSY: Page = {
  title: 'One file at a time',
  place: 'inbox',
  middle: true,
  status: 429,
  headers: { 'retry-after': '5' },
  body: (
    <section class="sheet" role="alert">
      <h1>Another file is being downloaded</h1>
      <p>
        An account can download one file at a time. Wait until it is complete, or cancel it, and try again.
      </p>
    </section>
  ),
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

/** Asks who the person is before a form is taken, and carries the form along. */
function proofPage(
  { c, form: ticket }: Visit,
  {
    form,
    by,
    refused,
  }: {
    form: URLSearchParams
    /** The proof to ask for. */
    by: 'password' | 'factor'
    /** Why the last proof was refused. */
    refused: Refusal | undefined
  },
): Page {
  const action = c.req.path
  return {
    title: 'Is it you?',
    place: placeOf(action),
    middle: true,
    script: 'proof',
    status: refused?.status ?? 401,
    headers: retryHeader(refused?.retryAfter),
    body: proofSheet({
      ticket,
      action,
      form,
      by,
      options: '/passkey/prove',
      leave: `/${action.split('/')[1]}`,
      error: refused?.error,
    }),
  }
}

/** The place that a path belongs to. */
function placeOf(path: string): PlaceId {
  for (const { places } of GROUPS) {
    for (const [id, place] of Object.entries(places))
      if (path === place.path || path.startsWith(`${place.path}/`)) return id as PlaceId
  }
  return 'inbox'
}
