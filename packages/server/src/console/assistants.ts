import type { Hono } from 'hono'
import { type Connections, limitValues, readLimits } from '../assistants/index.ts'
import { isTicket } from '../domain/ids.ts'
import { errorPage, type Failures } from '../platform/pages/error.ts'
import { postedForm } from '../platform/pages/forms.ts'
import { goTo, type PageContext, pageReply, retryHeader } from '../platform/pages/reply.ts'
import {
  confirmPerson,
  notFromHere,
  type Person,
  type PortalPages,
  type Refusal,
  sessionTokenOf,
} from '../portal/index.ts'
import type { RefusedLimits } from './assistant-card.ts'
import { connectionsPage, isDone } from './assistants-page.ts'

export interface ConsoleOptions extends Failures, PortalPages {
  grants: Pick<Connections, 'list' | 'changeLimits' | 'revoke'>
}

const PATH = '/connections'

/** The routes on which people see their connected assistants, change limits and revoke access. */
export function mountConnections(app: Hono, options: ConsoleOptions): void {
  const { portal, grants, tickets, publicUrl, clock } = options

  app.get(PATH, async (c: PageContext) => {
    const person = await personOf(c)
    return person ? show(c, person) : toSignIn()
  })

  app.post(`${PATH}/:id/limits`, (c: PageContext) =>
    change(c, async (person, id, form) => {
      const read = readLimits(form)
      const values = limitValues(form)
      if ('errors' in read) return show(c, person, { id, values, errors: read.errors })
      const confirmed = await confirmPerson(c, options, person, form)
      if ('refusal' in confirmed) {
        const { refusal } = confirmed
        return show(c, person, { id, values, errors: { password: refusal.error } }, refusal)
      }
      const { setCookie } = confirmed
      const changed = await grants.changeLimits(person.accountId, id, read.limits)
      return changed ? goTo(`${PATH}?done=limits#c-${id}`, setCookie) : noSuchConnection(setCookie)
    }),
  )

  app.post(`${PATH}/:id/revoke`, (c: PageContext) =>
    change(c, async ({ accountId }, id) => {
      const revoked = await grants.revoke(accountId, id)
      return revoked ? goTo(`${PATH}?done=revoked`) : noSuchConnection()
    }),
  )

  async function change(
    c: PageContext,
    work: (person: Person, id: string, form: URLSearchParams) => Promise<Response>,
  ): Promise<Response> {
    const form = await postedForm(c.req, tickets)
    if (!form) return notFromHere(publicUrl())
    const person = await personOf(c)
    if (!person) return toSignIn()
    const id = c.req.param('id')
    return id !== undefined && isTicket(id) ? work(person, id, form) : noSuchConnection()
  }

  async function show(
    c: PageContext,
    person: Person,
    refused?: RefusedLimits,
    { status, retryAfter }: Pick<Refusal, 'status' | 'retryAfter'> = { status: refused ? 422 : 200 },
  ): Promise<Response> {
    const list = await grants.list(person.accountId)
    const isThere = list.some(({ id, endedAt }) => id === refused?.id && endedAt === undefined)
    if (refused && !isThere) return noSuchConnection()
    const { form, setCookie } = tickets.issue(c.req.header('cookie'))
    const done = c.req.query('done')
    const page = connectionsPage({
      person,
      form,
      grants: list,
      now: clock.now(),
      connectTo: `${publicUrl()}/mcp`,
      askPassword: !person.justSignedIn,
      actOn: (id, what) => `${PATH}/${id}/${what}`,
      ...(refused ? { refused } : {}),
      ...(isDone(done) ? { done } : {}),
    })
    return pageReply(page, { status, setCookie, headers: retryHeader(retryAfter) })
  }

  function personOf(c: PageContext): Promise<Person | undefined> {
    return portal.who(sessionTokenOf(c.req.header('cookie'), publicUrl()))
  }
}

function toSignIn(): Response {
  return goTo(`/sign-in?next=${encodeURIComponent(PATH)}`)
}

function noSuchConnection(setCookie?: string): Response {
  const page = errorPage({
    title: 'There is no such connection',
    text: 'It has ended, or it is not one of your account. Nothing was done.',
    link: { href: '/connections', text: 'See what is connected' },
  })
  return pageReply(page, { status: 404, setCookie })
}
