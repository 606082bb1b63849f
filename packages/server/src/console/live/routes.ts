import { isTicket } from '../../domain/ids.ts'
import { createBacklogs } from '../../pages/live/backlogs.ts'
import { COMMENT } from '../../pages/live/events.ts'
import { createSessions } from '../../pages/live/sessions.ts'
import { openStream } from '../../pages/live/stream.ts'
import type { Watched } from '../../platform/metrics.ts'
import { PAGE_HEADERS } from '../../platform/pages/reply.ts'
import { sessionTokenOf } from '../../portal/index.ts'
import type { Pages } from '../frame/pages.ts'
import type { Visit } from '../frame/visit.ts'
import type { ConsoleParts } from '../parts.ts'
import { createReads } from './read.ts'
import type { Showing } from './watcher.ts'
import { createWatchers } from './watchers.ts'

const HEADERS = {
  ...PAGE_HEADERS,
  'content-type': 'text/event-stream; charset=utf-8',
  // For proxies that would otherwise gather what belongs together only to them.
  'x-accel-buffering': 'no',
}
const RETRY_SECONDS = '30'
/** More than these of a page's messages are not asked for again. Addresses have their limits. */
const MOST_OPEN = 150

const STREAMS: Watched = {
  name: 'wigwag_console_streams',
  help: 'This process: pages that are kept up to date.',
  labels: [],
}
const WATCHERS: Watched = {
  name: 'wigwag_console_watchers',
  help: 'This process: lists that are looked at for these pages. Pages that show the same share one.',
  labels: [],
}

/** The stream that keeps a list of messages up to date. */
export function mountLive(pages: Pages, parts: ConsoleParts): void {
  const { publicUrl, changes, metrics, sandbox, clock, live, stopping } = parts
  const watchers = createWatchers({
    reads: createReads(parts),
    changes,
    refused: sandbox?.refused,
    now: () => clock.now(),
    time: live?.time,
    onFault: parts.onFault,
  })
  const backlogs = createBacklogs()
  const sessions = createSessions({ reception: parts.portal, checkMs: live?.checkMs })
  stopping.addEventListener('abort', () => sessions.close())
  metrics.watch([STREAMS, WATCHERS], async () => [
    { name: STREAMS.name, labels: {}, value: sessions.count() },
    { name: WATCHERS.name, labels: {}, value: watchers.count() },
  ])

  pages.show('/messages/live', 'read', async ({ c, principal }) => {
    const token = sessionTokenOf(c.req.header('cookie'), publicUrl()) ?? ''
    const owner = { token, accountId: principal.accountId }
    const refusal = sessions.refusal(owner)
    if (refusal) return tooMany(refusal)
    if (c.req.method === 'HEAD') return new Response(null, { headers: HEADERS })
    const stream = openStream({
      onOver() {
        remove()
        leave()
      },
      cut: () => c.env?.outgoing?.destroy(),
      backlog: (drop) => backlogs.join(principal.accountId, drop),
    })
    stream.send(COMMENT)
    const { poll, leave } = watchers.join(stream, { principal, q: c.req.query('q') ?? '' }, showing(c))
    const remove = sessions.add(owner, { ...stream, onRefresh: poll })
    return new Response(stream.body, { headers: HEADERS })
  })
}

function tooMany(status: 429 | 503): Response {
  const headers = { ...PAGE_HEADERS, 'content-type': 'text/plain', 'retry-after': RETRY_SECONDS }
  return new Response('Too many pages are open.', { status, headers })
}

/** What the page that opens a stream says of itself. */
function showing(c: Visit['c']): Showing {
  const last = c.req.header('last-event-id')?.toLowerCase()
  const open = (c.req.query('open') ?? '').toLowerCase().split(',').filter(isTicket)
  return {
    last: last === NOTHING || (last && isTicket(last)) ? last : undefined,
    open: open.slice(0, MOST_OPEN),
  }
}

/** The last event of a page without messages. */
const NOTHING = '0'
