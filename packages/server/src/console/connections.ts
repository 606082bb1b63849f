import type { Hono } from 'hono'
import { isTicket } from '../domain/ids.ts'
import type { Person } from '../gateway/sign-in.ts'
import { confirmPerson, type Refusal } from '../pages/browser-session.ts'
import type { RefusedLimits } from '../pages/connection-card.ts'
import { connectionsPage, isDone } from '../pages/connections.ts'
import { limitValues, readLimits } from '../pages/limits-form.ts'
import type { PageContext } from '../pages/page-context.ts'
import { postedForm } from '../pages/posted-form.ts'
import { goTo, pageReply, retryHeader } from '../pages/reply.ts'
import { sessionTokenOf } from '../pages/session-cookie.ts'
import type { ConsoleOptions } from './options.ts'
import { noSuchConnection, notFromHere } from './refusals.ts'

const PATH = '/connections'

/** Where people see which assistants are connected, change what those may do, and end it. */
export function mountConnections(app: Hono, options: ConsoleOptions): void {
  const { portal, connections, tickets, publicUrl, clock } = options

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
      const changed = await connections.changeLimits(person.accountId, id, read.limits)
      return changed ? goTo(`${PATH}?done=limits#c-${id}`, setCookie) : noSuchConnection(setCookie)
    }),
  )

  app.post(`${PATH}/:id/revoke`, (c: PageContext) =>
    change(c, async ({ accountId }, id) => {
      const revoked = await connections.revoke(accountId, id)
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
    const list = await connections.list(person.accountId)
    const isThere = list.some(({ id, endedAt }) => id === refused?.id && endedAt === undefined)
    if (refused && !isThere) return noSuchConnection()
    const { form, setCookie } = tickets.issue(c.req.header('cookie'))
    const done = c.req.query('done')
    const page = connectionsPage({
      person,
      form,
      connections: list,
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
