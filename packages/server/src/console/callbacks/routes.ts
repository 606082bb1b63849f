import type { CallbackFilter } from '../../callbacks/index.ts'
import { epochMs } from '../../domain/ids.ts'
import { goTo } from '../../platform/pages/reply.ts'
import type { Pages } from '../frame/pages.ts'
import type { Page, Visit } from '../frame/visit.ts'
import type { ConsoleParts } from '../parts.ts'
import { missingPage, unlessMissing } from '../widgets/missing.ts'
import { callbacksFile } from './file.ts'
import { type ReadFilter, readFilter } from './filter.ts'
import { addressOf, callbacksPage } from './page.ts'

const ROWS = 60
const DAY_MS = 86_400_000
const COUNT = /^\d{1,9}$/
const MILLISECONDS = /^\d{1,15}$/

/** The log of callbacks, and the forms that have them posted again. */
export function mountCallbacks(pages: Pages, { callbacks: { log }, clock }: ConsoleParts): void {
  pages.show('/callbacks', 'read', (visit) => {
    const read = readFilter(qOf(visit), clock.now())
    return 'wrong' in read ? refused(visit, read.wrong) : list(visit, read)
  })

  pages.file('/callbacks.csv', 'read', async (visit) => {
    const read = readFilter(qOf(visit), clock.now())
    return 'wrong' in read ? refused(visit, read.wrong) : callbacksFile(log, visit.principal, read.filter)
  })

  pages.change('/callbacks/replay', { right: 'build' }, async ({ principal }, form) => {
    const since = form.get('since') ?? ''
    const q = form.get('q') ?? ''
    if (!MILLISECONDS.test(since)) return goTo(addressOf(q))
    const { replayed, skipped } = await log.replayFailed(principal, epochMs(Number(since)))
    return goTo(addressOf(q, { posted: String(replayed), ...(skipped > 0 && { left: String(skipped) }) }))
  })

  pages.change('/callbacks/:id/replay', { right: 'build' }, async ({ c, principal }, form) => {
    const callback = await unlessMissing(log.replay(principal, c.req.param('id') ?? ''))
    if (!callback) return missingPage({ what: 'callback', place: 'callbacks' })
    const q = form.get('q') ?? ''
    return goTo(`/messages/${callback.messageId}${q === '' ? '' : `?${new URLSearchParams({ q })}`}`)
  })

  async function list(visit: Visit, read: Extract<ReadFilter, { terms: unknown }>): Promise<Page> {
    const { c, principal } = visit
    const { filter, terms } = read
    const page = { cursor: c.req.query('cursor'), limit: ROWS }
    const { items, next } = await log.list(principal, filter, page)
    const q = qOf(visit)
    const body = callbacksPage({
      ...(await frameOf(visit, filter)),
      q,
      terms,
      wrong: undefined,
      rows: items,
      older: next && addressOf(q, { cursor: next }),
    })
    return { title: 'Callbacks', place: 'callbacks', body }
  }

  async function refused(visit: Visit, wrong: string): Promise<Page> {
    const none = { state: undefined, ticket: undefined, since: undefined }
    const around = await frameOf(visit, none)
    const shown = { q: qOf(visit), terms: undefined, wrong, rows: [], older: undefined }
    const body = callbacksPage({ ...around, ...shown, toReplay: undefined })
    return { title: 'Error: Callbacks', place: 'callbacks', body, status: 422 }
  }

  /** What the page shows around its list. One message's callback is posted again where the message is. */
  async function frameOf(visit: Visit, { ticket, since }: CallbackFilter) {
    const { c, form, may, principal } = visit
    const now = clock.now()
    const posted = c.req.query('posted') ?? ''
    const left = c.req.query('left') ?? ''
    return {
      ...{ form, now, mayBuild: may('build') },
      today: await log.states(principal, epochMs(now - (now % DAY_MS))),
      toReplay: ticket === undefined ? await log.toReplay(principal, since) : undefined,
      posted: COUNT.test(posted) ? Number(posted) : undefined,
      left: COUNT.test(left) ? Number(left) : 0,
      sender: [...principal.senders].find(([, status]) => status === 'approved')?.[0],
      exportHref: addressOf(qOf(visit)).replace('/callbacks', '/callbacks.csv'),
    }
  }
}

function qOf({ c }: Visit): string {
  return (c.req.query('q') ?? '').trim()
}
