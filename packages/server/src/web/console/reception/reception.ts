import type { Hono } from 'hono'
import { Tries } from '../../../net/callers/rate-limit.ts'
import { type FormTicket, postedForm } from '../../../net/pages/forms.tsx'
import type { Markup } from '../../../net/pages/markup.ts'
import { notFromHere } from '../../../net/pages/not-from-here.ts'
import { goTo, type PageContext, type ReplyOptions, retryHeader, withKept } from '../../../net/pages/reply.ts'
import {
  fromOf,
  nextOf,
  type Refusal,
  refusalOf,
  type Session,
  sessionTokenOf,
} from '../../../sign-in/portal/index.ts'
import { assetPageReply } from '../../document.tsx'
import { themeOf } from '../../theme.tsx'
import { type AssetPaths, bareShell } from '../frame/shell.tsx'
import type { ConsoleParts } from '../parts.ts'

export const FIRST_PAGE = '/messages'
/**
 * The limit of one address for passkeys, codes and links: a whole office may sign in at once. Guesses are
 * also limited by person, and passwords have limits of their own.
 */
const TRIES = { perSecond: 5, burst: 100 }

/** The pages before a person is in: how they look, the limit on their forms, and where they lead. */
export class Reception {
  readonly parts: ConsoleParts
  /** The e-mail of the account that a browser may open with one press, by a form that goes to `/open`. */
  readonly oneClick: (c: PageContext) => string | undefined
  readonly #app: Hono
  readonly #assets: () => Promise<AssetPaths>
  readonly #tries: Tries

  constructor(
    app: Hono,
    parts: ConsoleParts,
    own: { assets(): Promise<AssetPaths>; oneClick(c: PageContext): string | undefined },
  ) {
    this.parts = parts
    this.oneClick = own.oneClick
    this.#app = app
    this.#assets = own.assets
    this.#tries = new Tries({ ...TRIES, clock: parts.clock })
  }

  async show(
    c: PageContext,
    title: string,
    bodyOf: (form: FormTicket) => Markup,
    { refusal, ...reply }: ReplyOptions & { refusal?: Refusal | undefined } = {},
  ): Promise<Response> {
    const { tickets, sandbox, operator } = this.parts
    const { form, setCookie } = tickets.issue(c.req.header('cookie'))
    const page = {
      title: refusal ? `Error: ${title}` : title,
      assets: await this.#assets(),
      theme: themeOf(c),
      body: bodyOf(form),
      sandbox,
      operator,
    }
    return assetPageReply(c, bareShell(page), {
      setCookie,
      status: refusal?.status ?? 200,
      headers: retryHeader(refusal?.retryAfter),
      ...reply,
    })
  }

  /** Handles a form of one of our pages, from an address within its limit. */
  post(path: string, work: (c: PageContext, form: URLSearchParams) => Promise<Response>): void {
    const { tickets, addressOf, publicUrl } = this.parts
    this.#app.post(path, async (c: PageContext) => {
      this.#tries.count(addressOf(c))
      const form = await postedForm(c, tickets)
      return form ? withKept(c, await work(c, form)) : notFromHere(publicUrl())
    })
  }

  tokenOf(c: PageContext): string | undefined {
    return sessionTokenOf(c.req.header('cookie'), this.parts.publicUrl())
  }

  from(c: PageContext): ReturnType<typeof fromOf> {
    return fromOf(c, this.parts.addressOf(c))
  }

  refusalOf(result: Parameters<typeof refusalOf>[0], words?: string): Refusal {
    return refusalOf(result, this.parts.realClock.now(), words)
  }

  async goIn(c: PageContext, token: string): Promise<Response> {
    const { portal } = this.parts
    const person = await portal.who(token)
    const accounts = person ? (await portal.accounts(person.personId)).length : 1
    return goOn(c, { state: 'in', accounts })
  }
}

/** After somebody showed who they are: to what is still asked, to the choice of an account, or in. */
export function goOn(c: PageContext, { state, accounts }: Pick<Session, 'state' | 'accounts'>): Response {
  const query = queryOf(c)
  if (state !== 'in') return goTo(`/second${query}`)
  return goTo(accounts > 1 ? `/accounts${query}` : (nextOf(c) ?? FIRST_PAGE))
}

/** The query of every form's address. It carries the page that the person wanted. */
export function queryOf(c: PageContext): string {
  const next = nextOf(c)
  return next === undefined ? '' : `?next=${encodeURIComponent(next)}`
}
