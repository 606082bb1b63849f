import { connectSnippets, limitValues, readLimits } from '../../assistants/index.ts'
import { isTicket } from '../../domain/ids.ts'
import { errorPage } from '../../platform/pages/error.ts'
import { goTo, pageReply } from '../../platform/pages/reply.ts'
import type { Pages } from '../frame/pages.ts'
import type { Page, Visit } from '../frame/visit.ts'
import type { ConsoleParts } from '../parts.ts'
import type { RefusedLimits } from './card.ts'
import { connectionsPage, isDone } from './page.ts'

const PATH = '/connections'

/** The pages on which people see their connected assistants, change limits and revoke access. */
export function mountAssistants(pages: Pages, parts: ConsoleParts): void {
  const { connections, publicUrl, clock } = parts

  pages.show(PATH, 'assistants', (visit) => list(visit))

  pages.change(`${PATH}/:id/limits`, { right: 'assistants that send', proven: true }, async (visit, form) => {
    const id = idOf(visit)
    if (id === undefined) return noSuchConnection()
    const read = readLimits(form)
    const values = limitValues(form)
    if ('errors' in read) return list(visit, { id, values, errors: read.errors })
    const changed = await connections.changeLimits(visit.person, id, read.limits)
    return changed ? goTo(`${PATH}?done=limits#c-${id}`) : noSuchConnection()
  })

  pages.change(`${PATH}/:id/revoke`, { right: 'assistants' }, async (visit) => {
    const id = idOf(visit)
    const revoked = id !== undefined && (await connections.revoke(visit.person, id))
    return revoked ? goTo(`${PATH}?done=revoked`) : noSuchConnection()
  })

  async function list({ c, person, may, form }: Visit, refused?: RefusedLimits): Promise<Page | Response> {
    const all = await connections.list(person.accountId)
    const isThere = all.some(({ id, endedAt }) => id === refused?.id && endedAt === undefined)
    if (refused && !isThere) return noSuchConnection()
    const done = c.req.query('done')
    const connectTo = `${publicUrl()}/mcp`
    const page = connectionsPage({
      person,
      form,
      connections: all,
      shared: await connections.shared(person),
      programs: await connections.programs(person.accountId),
      now: clock.now(),
      connectTo,
      snippets: await connectSnippets(connectTo),
      may,
      actOn: (id, what) => `${PATH}/${id}/${what}`,
      ...(refused ? { refused } : {}),
      ...(isDone(done) ? { done } : {}),
    })
    return { ...page, place: 'assistants', middle: true, status: refused ? 422 : 200 }
  }
}

function idOf({ c }: Visit): string | undefined {
  const id = c.req.param('id')
  return id !== undefined && isTicket(id) ? id : undefined
}

function noSuchConnection(): Response {
  const page = errorPage({
    title: 'There is no such connection',
    text: 'It has ended, or it is not one of your account. Nothing was done.',
    link: { href: '/connections', text: 'See what is connected' },
  })
  return pageReply(page, { status: 404 })
}
