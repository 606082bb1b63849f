import { readQuery } from '../../history/index.ts'
import { goTo } from '../../platform/pages/reply.ts'
import type { Pages } from '../frame/pages.ts'
import type { ConsoleParts } from '../parts.ts'
import { exportMessages } from './export.ts'
import { firstRunPage, inboxPage } from './page.ts'
import { createReadInbox, nothingOf } from './read.ts'

const ROWS = 60

/** The list of messages, and the same as a file. */
export function mountInbox(pages: Pages, parts: ConsoleParts): void {
  const readInbox = createReadInbox(parts, parts.searches)
  const readForFile = createReadInbox({ ...parts, history: { queries: parts.history.lateQueries } })

  pages.show('/messages', 'read', async (visit) => {
    const { c, principal } = visit
    const shown = { q: filterOf(c.req.query('q')), cursor: c.req.query('cursor') }
    const page = await readInbox(principal, shown.q, { cursor: shown.cursor, limit: ROWS })
    if (page.query.kind === 'ticket') return goTo(`/messages/${page.query.ticket}`)
    const isNew = page.rows.length === 0 && shown.q === '' && shown.cursor === undefined
    return isNew ? firstRunPage(visit, parts) : inboxPage(visit, shown, page, parts)
  })

  pages.file('/messages.csv', 'read', async (visit) => {
    const { c, principal } = visit
    const q = filterOf(c.req.query('q'))
    const now = parts.clock.now()
    const query = readQuery(q, now)
    if (query.kind === 'ticket') return goTo(`/messages/${query.ticket}`)
    if (query.kind === 'filter') return exportMessages(readForFile, { principal, q, now })
    return inboxPage(visit, { q, cursor: undefined }, nothingOf(query), parts)
  })
}

function filterOf(q = ''): string {
  return q.trim()
}
