import { createBacklogs } from '../../pages/live/backlogs.ts'
import { COMMENT, eventText } from '../../pages/live/events.ts'
import { createSessions } from '../../pages/live/sessions.ts'
import { openStream, type Stream } from '../../pages/live/stream.ts'
import type { Watched } from '../../platform/metrics.ts'
import { PAGE_HEADERS, type PageContext } from '../../platform/pages/reply.ts'
import type { DeskParts } from '../parts.ts'
import { sessionTokenOf } from './cookie.ts'

/** A part of a page that is kept up to date. It must be the same for every operator. */
export interface LiveOptions {
  read(): Promise<string>
  /** How long to wait after reading before it is read again. */
  everyMs: number
}

/** Opens the stream of a page. */
type Open = (c: PageContext, operatorId: string) => Promise<Response>

const HEADERS = {
  ...PAGE_HEADERS,
  'content-type': 'text/event-stream; charset=utf-8',
  // For proxies that would otherwise gather what belongs together only to them.
  'x-accel-buffering': 'no',
}
const STREAMS: Watched = {
  name: 'wigwag_desk_streams',
  help: 'This process: pages of operators that are kept up to date.',
  labels: [],
}

/** The streams of all pages. A part is read once for all that show it, and not at all while nobody looks. */
export function createLive(parts: DeskParts): (part: LiveOptions) => Open {
  const { clock, reception, url, metrics, stopping, onFault } = parts
  const backlogs = createBacklogs()
  const sessions = createSessions({ reception })
  stopping.addEventListener('abort', () => sessions.close())
  metrics.watch([STREAMS], async () => [{ name: STREAMS.name, labels: {}, value: sessions.count() }])

  return function live({ read, everyMs }) {
    const streams = new Set<Stream>()
    let shown = ''
    let isRunning = false
    let cancel = () => {}
    stopping.addEventListener('abort', () => cancel())

    async function run(): Promise<void> {
      isRunning = true
      while (streams.size > 0) {
        try {
          const text = await read()
          if (text !== shown) {
            shown = text
            for (const stream of streams) stream.send(eventText('part', text))
          }
        } catch (error) {
          onFault(error)
        }
        await new Promise<void>((resolve) => {
          cancel = clock.after(everyMs, resolve)
        })
      }
      isRunning = false
      shown = ''
    }

    return async function open(c, operatorId) {
      const owner = { token: sessionTokenOf(c.req.header('cookie'), url()) ?? '', accountId: operatorId }
      const refusal = sessions.refusal(owner)
      if (refusal) return tooMany(refusal)
      if (c.req.method === 'HEAD') return new Response(null, { headers: HEADERS })
      const stream = openStream({
        onOver() {
          streams.delete(stream)
          remove()
        },
        cut: () => c.env?.outgoing?.destroy(),
        backlog: (drop) => backlogs.join(operatorId, drop),
      })
      const remove = sessions.add(owner, { ...stream, onRefresh() {} })
      stream.send(shown === '' ? COMMENT : eventText('part', shown))
      streams.add(stream)
      if (!isRunning) void run()
      return new Response(stream.body, { headers: HEADERS })
    }
  }
}

function tooMany(status: 429 | 503): Response {
  const headers = { ...PAGE_HEADERS, 'content-type': 'text/plain', 'retry-after': '30' }
  return new Response('Too many pages are open.', { status, headers })
}
